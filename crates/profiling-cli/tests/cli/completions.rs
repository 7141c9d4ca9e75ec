use std::io::Write;
use std::process::{Command, Stdio};

use crate::run::run;

/// The script for a shell, which has the commands and one of their options, and, where that shell is at hand, is one.
fn check(shell: &str) {
    let script = run(&["completions", shell]).text();
    for word in ["symbolize", "flamegraph", "fold-async"] {
        assert!(script.contains(word), "{shell}: {word}");
    }
    let Ok(mut child) = Command::new(shell).arg("-n").stdin(Stdio::piped()).spawn() else {
        // Where it counts, what nobody tried must not look like what passed.
        assert!(!is_ci(), "{shell} is not installed");
        return;
    };
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{shell} does not understand it");
}

fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

#[test]
fn for_bash() {
    check("bash");
}

#[test]
fn for_zsh() {
    check("zsh");
}

#[test]
fn for_fish() {
    check("fish");
}
