//! What a model says of itself when it has run.

#![allow(dead_code, reason = "tests only")]

use std::{collections::BTreeSet, env, fs::OpenOptions, io::Write, thread};

/// Names a file, to which each model adds how many executions it had, and the places that it met.
const FIGURES: &str = "ALLOMETER_FIGURES";

/// In one piece, since models run beside each other.
pub(super) fn say(executions: u64, places: &BTreeSet<String>) {
    let thread = thread::current();
    let model = thread.name().unwrap_or_default();
    let mut lines = format!("model {model} {executions}\n");
    lines.extend(places.iter().map(|place| format!("place {model} {place}\n")));
    if let Some(path) = env::var_os(FIGURES) {
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(lines.as_bytes()).unwrap();
    }
}
