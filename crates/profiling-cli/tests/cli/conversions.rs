use std::fs;

use allometer_profile::Profile;

use crate::own::profile;
use crate::run::{directory, files, run, run_with_input};

#[test]
fn the_name_of_a_file_tells_its_format() {
    let directory = directory();
    let own = profile(50.0);
    let bytes = own.to_pprof_gzip();
    let convert = |name: &str, arguments: &[&str]| {
        let path = directory.path().join(name);
        let all = [&["convert", "-", "-o", path.to_str().unwrap()], arguments].concat();
        assert_eq!(run_with_input(&all, &bytes).text(), "");
        fs::read(path).unwrap()
    };
    let again = Profile::from_pprof(&bytes).unwrap();
    assert_eq!(convert("heap.pb", &[]), again.to_pprof());
    assert_eq!(convert("heap.pb.gz", &[]), again.to_pprof_gzip());
    assert_eq!(convert("heap", &["--to", "pprof-plain"]), again.to_pprof());
    let folded = String::from_utf8(convert("heap.folded", &["--type", "allocated"])).unwrap();
    assert_eq!(folded, run_with_input(&["folded", "--type", "alloc_space"], &bytes).text());
    assert!(folded.contains("shop::main;shop::import::read 66"), "{folded}");
    assert!(String::from_utf8(convert("heap.svg", &[])).unwrap().contains("<svg"));
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(left.len(), 5, "nothing else is left there: {left:?}");
}

#[test]
fn the_text_of_others_becomes_pprof() {
    for name in ["jemalloc.heap", "gperftools.heap"] {
        let answer = run(&["convert", name, "-o", "-", "--to", "pprof"]);
        assert_eq!((answer.code, &*answer.error), (Some(0), ""));
        let written = Profile::from_pprof(&answer.out).unwrap();
        let read = Profile::from_heap_text(&fs::read(files().join(name)).unwrap()).unwrap();
        assert_eq!(written.samples.len(), read.samples.len());
        assert_eq!(written.mappings, read.mappings);
        assert_eq!(written.metadata.left_out_at_leaf, read.metadata.left_out_at_leaf);
        assert_eq!(written.metadata.sample_interval, read.metadata.sample_interval);
    }
}

#[test]
fn a_file_takes_the_place_of_the_old_one_or_nothing_happens() {
    let directory = directory();
    let path = directory.path().join("heap.pb");
    fs::write(&path, "old").unwrap();
    let name = path.to_str().unwrap();
    assert!(run(&["convert", "no such file", "-o", name]).complaint(1).starts_with("no such file: "));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(run(&["convert", "go.pb.gz", "-o", name]).text(), "");
    assert!(Profile::from_pprof(&fs::read(&path).unwrap()).is_ok());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let directory = directory();
    let [link, path] = ["link.pb", "heap.pb"].map(|name| directory.path().join(name));
    fs::write(&path, "old").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(run(&["convert", "go.pb.gz", "-o", link.to_str().unwrap()]).text(), "");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(Profile::from_pprof(&fs::read(&path).unwrap()).is_ok());
    assert_eq!(run(&["convert", "go.pb.gz", "-o", "/dev/null", "--to", "pprof"]).text(), "");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn inlined_functions_become_locations() {
    let mut own = profile(50.0);
    let callers = own.locations[1].lines.clone();
    own.locations[0].lines.extend(callers);
    let locations = |arguments: &[&str]| {
        let answer = run_with_input(arguments, &own.to_pprof());
        Profile::from_pprof(&answer.out).unwrap().locations.len()
    };
    let plain = ["convert", "-", "-o", "-", "--to", "pprof"];
    assert_eq!(locations(&plain) + 1, locations(&[&plain[..], &["--expand-inlines"]].concat()));
}
