use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::own::profile;
use crate::run::{answer, directory, files, program, run, run_with_input};

fn total(text: &str) -> &str {
    text.lines().next().unwrap()
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let bytes = fs::read(files().join("jemalloc.heap")).unwrap();
    let named = run(&["top", "jemalloc.heap"]).text();
    assert_eq!(run_with_input(&["top"], &bytes).text(), named);
    assert_eq!(run_with_input(&["top", "-"], &bytes).text(), named);
}

#[test]
fn several_files_are_added_up() {
    let one = run(&["top", "go.pb.gz"]).text();
    let two = run(&["top", "go.pb.gz", "go.pb.gz"]).text();
    assert_eq!(
        total(&one),
        "14.4 MiB ± 0.2 live in 237,718 objects, 36.6 MiB ± 0.3 allocated in 401,595 objects"
    );
    assert_eq!(
        total(&two),
        "28.8 MiB ± 0.3 live in 475,436 objects, 73.1 MiB ± 0.5 allocated in 803,190 objects"
    );
    assert_eq!(two.lines().count(), one.lines().count(), "the same functions");
    let go = fs::read(files().join("go.pb.gz")).unwrap();
    assert_eq!(run_with_input(&["top", "go.pb.gz", "-"], &go).text(), two);
    let mixed = run(&["info", "go.pb.gz", "gperftools.heap"]).text();
    assert!(
        mixed.contains("merged from profiles of different sample intervals: 1 bytes, 4096 bytes"),
        "{mixed}"
    );
    assert!(mixed.contains("  interval      not known\n"), "{mixed}");
}

/// Two processes of one program have it at different addresses.
#[test]
fn stacks_are_the_same_wherever_the_program_was_loaded() {
    let [one, again] = ["jemalloc.heap", "jemalloc-again.heap"];
    let stacks = |files: &[&str]| {
        let text = run(&[&["info"], files].concat()).text();
        text.lines().find(|line| line.starts_with("  samples")).unwrap().to_owned()
    };
    let first = |file: &str| {
        fs::read_to_string(files().join(file))
            .unwrap()
            .lines()
            .find(|line| line.starts_with('@'))
            .unwrap()
            .to_owned()
    };
    assert_ne!(first(one), first(again));
    assert_eq!(stacks(&[one]), "  samples       7 of 7 stacks");
    assert_eq!(stacks(&[one, again]), stacks(&[one]));
    let value = |text: String| -> f64 {
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json.pointer("/total/live/bytes/value").unwrap().as_f64().unwrap()
    };
    let of = |files: &[&str]| value(run(&[&["info", "--json"], files].concat()).text());
    assert!((of(&[one, again]) - of(&[one]) - of(&[again])).abs() < 1e-3);
}

#[test]
fn merged_profiles_are_written_as_one() {
    let directory = directory();
    let merged = directory.path().join("merged.pb.gz");
    let merged = merged.to_str().unwrap();
    assert_eq!(run(&["merge", "go.pb.gz", "go.pb.gz", "-o", merged]).text(), "");
    assert_eq!(run(&["tree", merged]).text(), run(&["tree", "go.pb.gz", "go.pb.gz"]).text());
}

#[test]
fn tags_can_be_left_out() {
    let bytes = profile(50.0).to_pprof();
    let samples = |arguments: &[&str]| {
        let text = run_with_input(arguments, &bytes).text();
        text.lines().find(|line| line.starts_with("  samples")).unwrap().to_owned()
    };
    assert_eq!(samples(&["info"]), "  samples       4 of 3 stacks");
    assert_eq!(samples(&["info", "--without-tags"]), "  samples       3 of 3 stacks");
}

#[test]
fn a_pipe_that_is_closed_is_a_good_end() {
    // More than a pipe holds, so that writing goes on when it is closed.
    let mut own = profile(50.0);
    own.functions.iter_mut().for_each(|function| function.name.push_str(&"x".repeat(100_000)));
    let directory = directory();
    let path = directory.path().join("long.pb");
    fs::write(&path, own.to_pprof()).unwrap();
    for command in ["top", "tree", "folded", "flamegraph"] {
        let mut child = program(&[command, path.to_str().unwrap()]).stdin(Stdio::null()).spawn().unwrap();
        let mut first = [0; 9];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let answer = answer(child);
        assert_eq!((answer.code, &*answer.error), (Some(0), ""), "{command}");
    }
}
