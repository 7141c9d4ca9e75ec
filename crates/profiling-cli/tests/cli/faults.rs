use std::fs;

use crate::own::profile;
use crate::run::{directory, files, run, run_with_input};

#[test]
fn a_fault_of_a_file_is_one_line_with_its_place() {
    let directory = directory();
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let go = fs::read(files().join("go.pb.gz")).unwrap();
    let cut = write("cut.pb.gz", &go[..go.len() / 2]);
    let complaint = run(&["top", &cut]).complaint(1);
    assert!(complaint.starts_with(&format!("{cut}: the gzip data cannot be unpacked: ")), "{complaint}");

    let text = fs::read_to_string(files().join("jemalloc.heap")).unwrap();
    let broken =
        write("broken.heap", text.replacen("@ 0x", "@ 0y", 2).replacen("@ 0y", "@ 0x", 1).as_bytes());
    let complaint = run(&["info", &broken]).complaint(1);
    let line = 1 + text.lines().enumerate().filter(|(_, line)| line.starts_with('@')).nth(1).unwrap().0;
    let expected = format!("{broken}: line {line}: expected `@` and addresses such as 0x1a2b, found \"@ 0y");
    assert!(complaint.starts_with(&expected), "{complaint}");

    let empty = write("empty", b"");
    assert_eq!(run(&["top", &empty]).complaint(1), format!("{empty}: there is nothing in it"));
    assert_eq!(run_with_input(&["top", "-"], b"").complaint(1), "standard input: there is nothing in it");

    let mut own = profile(1.0).to_pprof();
    own.truncate(own.len() - 3);
    let own = write("own.pb", &own);
    let complaint = run(&["tree", &own]).complaint(1);
    assert!(complaint.starts_with(&format!("{own}: ")) && complaint.contains("byte "), "{complaint}");

    let other = write("page.html", b"<html>no profile</html>");
    let complaint = run(&["top", &other]).complaint(1);
    assert!(complaint.contains("not a pprof message"), "{complaint}");
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let directory = directory();
    let path = directory.path().to_str().unwrap();
    assert!(run(&["top", path]).complaint(1).starts_with(&format!("{path}: ")));
    assert!(run(&["top", "go.pb.gz", "missing"]).complaint(1).starts_with("missing: "));
    assert!(run(&["diff", "missing", "go.pb.gz"]).complaint(1).starts_with("missing: "));
    let nowhere = format!("{path}/no/heap.pb");
    assert!(run(&["convert", "go.pb.gz", "-o", &nowhere]).complaint(1).starts_with(&format!("{nowhere}: ")));
    let nothing = run(&["flamegraph", "gperftools.heap", "--type", "live", "--before", "missing"]);
    assert!(nothing.complaint(1).starts_with("missing: "));
}

#[test]
fn names_of_files_cannot_speak_to_the_terminal() {
    let complaint = run(&["top", "a\u{1b}[31m\nb"]).complaint(1);
    assert!(complaint.starts_with(r"a\u{1b}[31m\nb: "), "{complaint}");
}

#[test]
fn nothing_to_draw_is_an_error() {
    let heap = "heap_v2/64\n@ 0x10\n  t*: 1: 64 [0: 0]\n";
    let complaint = run_with_input(&["flamegraph", "--type", "allocated"], heap.as_bytes()).complaint(1);
    assert_eq!(complaint, "standard input: the profile has no alloc_space");
}

#[test]
fn wrong_usage_is_another_code() {
    for arguments in [
        &["frobnicate"][..],
        &["top", "--sort", "size", "go.pb.gz"],
        &["diff", "go.pb.gz"],
        &["convert", "go.pb.gz"],
        &["completions", "tcsh"],
    ] {
        let answer = run(arguments);
        assert_eq!(answer.code, Some(2), "{answer:?}");
        assert!(answer.out.is_empty() && answer.error.starts_with("error: "), "{answer:?}");
    }
    let own = |arguments: &[&str]| run_with_input(arguments, &profile(1.0).to_pprof()).complaint(2);
    assert_eq!(
        own(&["convert", "-", "-o", "-"]),
        "the name of the output does not tell its format: say which with --to"
    );
    assert_eq!(own(&["top", "-", "-"]), "standard input can only be read once");
    assert_eq!(own(&["diff", "-", "-"]), "standard input can only be read once");
    assert_eq!(own(&["flamegraph", "-", "--before", "-"]), "standard input can only be read once");
    let which = "which files have the names? Say --binary FILE or --debug-dir DIR";
    assert_eq!(own(&["symbolize", "-", "-o", "-"]), which);
}
