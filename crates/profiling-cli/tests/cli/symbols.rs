//! Names from files: the profiled program is this test, and its own file has them.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use allometer_profile::{
    Amount, Estimate, Figures, Metadata, Profile, ProfileBuilder, RawFrame, ReturnAddress, Symbolization,
    Symbolizer,
};

use crate::run::{Answer, directory, run};

/// The return addresses here, leaf first: those of this function, of its caller, and so on.
#[inline(never)]
fn stack() -> Vec<u64> {
    let mut addresses = Vec::new();
    backtrace::trace(|frame| {
        addresses.push(frame.ip() as u64);
        addresses.len() < 64
    });
    addresses
}

#[inline(never)]
fn keeps_a_page() -> Vec<u64> {
    std::hint::black_box(stack())
}

/// The same as a profile without names, as a program writes it that is shipped without symbols.
fn nameless() -> Profile {
    let page = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
    let mut builder = ProfileBuilder::new(Metadata { live: true, sample_interval: 1, ..Metadata::default() });
    let frames = keeps_a_page().into_iter().map(|address| RawFrame::Address(ReturnAddress::new(address)));
    builder.add(frames, Figures { alloc: page, live: page });
    builder.finish(&mut Symbolizer::with(Symbolization::None))
}

/// A stack as gperftools writes it: without build ids.
fn text(stack: &[u64]) -> String {
    let mut text = "heap profile: 1: 4096 [ 1: 4096] @ heapprofile\n1: 4096 [ 1: 4096] @".to_owned();
    stack.iter().for_each(|address| write!(text, " {address:#x}").unwrap());
    text + "\n\nMAPPED_LIBRARIES:\n" + &fs::read_to_string("/proc/self/maps").unwrap()
}

fn own_file() -> String {
    std::env::current_exe().unwrap().to_str().unwrap().to_owned()
}

/// The profile that was written, and what was said of the files.
fn symbolize(profile: &[u8], arguments: &[&str]) -> (Profile, String) {
    let directory = directory();
    let [from, to] = ["from", "to.pb.gz"].map(|name| directory.path().join(name));
    fs::write(&from, profile).unwrap();
    let all = [&["symbolize", from.to_str().unwrap(), "-o", to.to_str().unwrap()], arguments].concat();
    let Answer { code, error, .. } = run(&all);
    assert_eq!(code, Some(0), "{error}");
    (Profile::from_pprof(&fs::read(to).unwrap()).unwrap(), error)
}

/// The lines of those functions that are of this file.
fn own_functions(profile: &Profile) -> Vec<String> {
    let locations = profile.samples[0].stack.iter().filter_map(|&index| profile.location(index));
    let lines = locations.flat_map(|location| &location.lines);
    let names = lines.filter_map(|line| {
        let function = profile.function(line.function)?;
        function.name.contains("symbols::").then(|| format!("{}:{}", function.name, line.line))
    });
    names.collect()
}

/// The line in this file of a call.
fn line_of(call: &str) -> usize {
    include_str!("symbols.rs").lines().position(|line| line.contains(call)).unwrap() + 1
}

#[test]
fn a_program_s_file_has_its_names() {
    let profile = nameless();
    assert!(own_functions(&profile).is_empty(), "{:?}", profile.functions);
    let (named, remarks) = symbolize(&profile.to_pprof(), &["--binary", &own_file()]);
    let expected = format!("cli::symbols::keeps_a_page:{}", line_of("black_box(stack())"));
    let found = own_functions(&named);
    assert!(found.iter().any(|name| name.ends_with(&expected)), "{expected} {found:?}");
    let module = Path::new(&own_file()).file_name().unwrap().to_str().unwrap().to_owned();
    assert!(
        remarks.lines().any(|line| line.contains(&module) && line.ends_with("locations got names")),
        "{remarks}"
    );
}

#[test]
fn the_text_of_others_has_return_addresses() {
    let named = |stack: &[u64]| {
        let (named, _) = symbolize(text(stack).as_bytes(), &["--binary", &own_file()]);
        own_functions(&named)
    };
    let is_there = |found: Vec<String>| found.iter().any(|name| name.contains("symbols::keeps_a_page:"));
    assert!(is_there(named(&keeps_a_page())));
    // A call that returns to the first byte of a function is the last one of what stands before it.
    let start = keeps_a_page as *const () as u64;
    assert!(is_there(named(&[start + 1])));
    assert!(!is_there(named(&[start])));
}

#[test]
fn directories_are_looked_through_by_build_id() {
    let profile = nameless();
    let build_id = profile.mappings[0].build_id.clone().unwrap();
    let directory = directory();
    let copy = |path: &Path| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(own_file(), path).unwrap();
    };
    copy(&directory.path().join("releases/1.4/under another name"));
    let (named, _) = symbolize(&profile.to_pprof(), &["--debug-dir", directory.path().to_str().unwrap()]);
    assert!(!own_functions(&named).is_empty());

    // As debuggers lay them out, where they are links.
    let links = crate::run::directory();
    let link = links.path().join(".build-id").join(&build_id[..2]).join(format!("{}.debug", &build_id[2..]));
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(own_file(), &link).unwrap();
    let (named, _) = symbolize(&profile.to_pprof(), &["--debug-dir", links.path().to_str().unwrap()]);
    assert!(!own_functions(&named).is_empty());
}

#[test]
fn another_file_is_not_used_and_none_is_opened_that_nobody_named() {
    let profile = nameless();
    let directory = directory();
    let module = Path::new(&own_file()).file_name().unwrap().to_str().unwrap().to_owned();
    let impostor = directory.path().join(&module);
    fs::copy(env!("CARGO_BIN_EXE_allometer"), &impostor).unwrap();
    let (named, remarks) = symbolize(&profile.to_pprof(), &["--binary", impostor.to_str().unwrap()]);
    assert!(own_functions(&named).is_empty());
    assert!(remarks.contains("its build id is"), "{remarks}");
    let empty = crate::run::directory();
    let (named, remarks) = symbolize(&profile.to_pprof(), &["--debug-dir", empty.path().to_str().unwrap()]);
    assert!(own_functions(&named).is_empty());
    assert!(remarks.lines().all(|line| line.ends_with(": no file")), "{remarks}");
    let (_, remarks) = symbolize(b"heap_v2/64\n@ 0x10\n  t*: 1: 64 [0: 0]\n", &["--binary", &own_file()]);
    assert_eq!(remarks, "nothing was looked up: no address of the profile is in a file that it names\n");
    let complaint = run(&["symbolize", "go.pb.gz", "-o", "-", "--binary", "missing"]).complaint(1);
    assert!(complaint.starts_with("missing: "), "{complaint}");
}
