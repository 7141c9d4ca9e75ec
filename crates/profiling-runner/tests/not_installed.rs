//! A program that forgot to install the allocator: what the environment asks for is refused, each time, and nothing is left.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::{env, fs, process::Command};

use allometer_runner::init;

const VARIABLE: &str = "ALLOMETER";
const NAME: &str = "what_the_environment_asks_for_is_refused_each_time";

#[test]
fn what_the_environment_asks_for_is_refused_each_time() {
    if let Ok(words) = env::var(VARIABLE) {
        return refused(&words);
    }
    let reports = tempfile::tempdir().unwrap();
    let asked = format!("dir:{},giant_limit:1GiB", reports.path().display());
    for words in ["on", "interval:1", asked.as_str(), "garbage"] {
        // A variable is the whole process's, so each has one.
        let mut command = Command::new(env::current_exe().unwrap());
        let output = command.args(["--exact", NAME]).env(VARIABLE, words).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(fs::read_dir(reports.path()).unwrap().count(), 0);
}

fn refused(words: &str) {
    for _ in 0..2 {
        let error = init().unwrap_err().to_string();
        let expected = match words {
            "garbage" => "`garbage`: expected on, dir:PATH",
            _ => "the sampling allocator is not installed: declare one as #[global_allocator]",
        };
        assert!(error.contains(expected), "{words}: {error}");
    }
}
