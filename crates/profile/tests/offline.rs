//! Names for a profile that was written without them: the same as those that it would have had, or a reason.

#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
// A failed expectation is a panic, as in any test; the functions that the tests share expect things, too.
#![allow(clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSegment};

use allometer_profile::{
    Amount, Estimate, Figures, Mapping, MappingNames, Metadata, Profile, ProfileBuilder, RawFrame,
    ReturnAddress, SymbolFile, Symbolization, Symbolizer,
};

#[inline(always)]
fn shim() -> Vec<RawFrame> {
    let mut frames = Vec::new();
    backtrace::trace(|frame| {
        frames.push(RawFrame::Address(ReturnAddress::new(frame.ip() as u64)));
        true
    });
    frames
}

/// A stack of this program; what called the unwinder is inlined into this function.
#[inline(never)]
fn stack() -> Vec<RawFrame> {
    let stack = std::hint::black_box(shim());
    let here = own_address(&stack).expect("this function");
    stack[here..].to_vec()
}

/// The position of the first frame that this file is about.
fn own_address(stack: &[RawFrame]) -> Option<usize> {
    let profile = profile(stack, Symbolization::Full);
    let location = |at: &usize| profile.locations.get(*at);
    (0..stack.len())
        .find(|at| location(at).is_some_and(|it| last_name(&profile, it).ends_with("offline::stack")))
}

fn last_name<'a>(profile: &'a Profile, location: &allometer_profile::Location) -> &'a str {
    let function = location.lines.last().and_then(|line| profile.function(line.function));
    function.map_or("", |function| &function.name)
}

/// The profile of a stack, in this process.
fn profile(stack: &[RawFrame], symbolization: Symbolization) -> Profile {
    let metadata = Metadata { left_out_at_leaf: vec!["shim".to_owned()], ..Metadata::default() };
    let mut builder = ProfileBuilder::new(metadata);
    let one = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(8.0) };
    for skipped in 0..2 {
        builder.add(stack.iter().copied().skip(skipped), Figures { alloc: one, live: one });
    }
    builder.finish(&mut Symbolizer::with(symbolization))
}

/// The same, written to a file and read back.
fn read_back(stack: &[RawFrame], symbolization: Symbolization) -> Profile {
    Profile::from_pprof(&profile(stack, symbolization).to_pprof_gzip()).expect("a profile")
}

fn at_its_path(mapping: &Mapping) -> Option<SymbolFile> {
    Path::new(&mapping.path).is_file().then(|| SymbolFile::new(&mapping.path))
}

fn is_main(mapping: &Mapping) -> bool {
    Path::new(&mapping.path) == std::env::current_exe().expect("a program")
}

/// What becomes of the main program's names, if this is its file.
fn of_main(profile: &mut Profile, file: SymbolFile) -> MappingNames {
    let mut symbolizer = Symbolizer::new();
    let answers = symbolizer.symbolize(profile, |mapping| is_main(mapping).then(|| file.clone()));
    assert_eq!(answers.len(), profile.mappings.len());
    answers[0].clone()
}

/// A directory that is gone after the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("allometer-offline-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    /// A copy of this program, changed.
    fn program(&self, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = fs::read("/proc/self/exe").expect("this program");
        change(&mut bytes);
        let path = self.0.join("program");
        fs::write(&path, bytes).expect("a copy");
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Takes all sections away, and the names with them.
fn strip(program: &mut [u8]) {
    program[40..48].fill(0);
    program[60..64].fill(0);
}

fn change_build_id(program: &mut [u8]) {
    let id = program.windows(8).position(|bytes| bytes == b"\x03\0\0\0GNU\0").expect("a build id") + 8;
    program[id] ^= 1;
}

#[test]
fn names_are_the_same_as_in_the_process() {
    let stack = stack();
    for symbolization in [Symbolization::Full, Symbolization::Names] {
        let expected = read_back(&stack, symbolization);
        let mut profile = read_back(&stack, Symbolization::None);
        assert!(profile.mappings.iter().all(|mapping| !mapping.symbols.functions));
        Symbolizer::with(symbolization).symbolize(&mut profile, at_its_path);
        assert_eq!(profile.to_pprof(), expected.to_pprof(), "{symbolization:?}");
        assert_eq!(profile.mappings, expected.mappings);
    }
}

#[test]
fn what_is_left_out_by_name_is_left_out_afterwards_too() {
    let stack = stack();
    let mut profile = read_back(&stack, Symbolization::None);
    let names = |profile: &Profile| {
        let leaf = &profile.locations[profile.samples[0].stack[0].0 as usize];
        let name = |line: &allometer_profile::Line| profile.function(line.function).unwrap().name.clone();
        leaf.lines.iter().map(name).collect::<Vec<_>>()
    };
    assert!(names(&profile)[0].contains("+0x"));
    Symbolizer::new().symbolize(&mut profile, at_its_path);
    assert_eq!(names(&profile), ["offline::stack"], "the shim was inlined into it");
    profile.metadata.left_out_at_leaf.clear();
    let mut whole = read_back(&stack, Symbolization::None);
    whole.metadata.left_out_at_leaf.clear();
    Symbolizer::new().symbolize(&mut whole, at_its_path);
    assert!(names(&whole).contains(&"offline::shim".to_owned()), "{:?}", names(&whole));
}

#[test]
fn names_that_are_there_stay_unless_they_are_to_be_replaced() {
    let stack = stack();
    let before = read_back(&stack, Symbolization::Names);
    let mut profile = before.clone();
    let program = std::env::current_exe().unwrap();
    let kept = of_main(&mut profile, SymbolFile::new(&program));
    assert_eq!(kept, MappingNames::LookedUp { locations: 0, named: 0 });
    assert_eq!(profile.to_pprof(), before.to_pprof());
    let replaced = of_main(&mut profile, SymbolFile::new(&program).replacing());
    assert!(matches!(replaced, MappingNames::LookedUp { locations: 1.., .. }), "{replaced:?}");
    assert!(profile.mappings[0].symbols.lines);
    assert!(profile.functions.iter().any(|function| function.file.ends_with("tests/offline.rs")));
}

#[test]
fn a_file_is_used_only_if_it_is_the_right_one() {
    let directory = Directory::new("right-one");
    let unnamed = read_back(&stack(), Symbolization::None);
    let of = |file: SymbolFile| {
        let mut profile = unnamed.clone();
        let answer = of_main(&mut profile, file);
        assert_eq!(
            profile.to_pprof() == unnamed.to_pprof(),
            !matches!(answer, MappingNames::LookedUp { .. })
        );
        answer
    };
    let other = directory.program(|program| change_build_id(program));
    assert!(matches!(of(SymbolFile::new(&other).vouched()), MappingNames::OtherBuild { .. }));
    fs::write(&other, "no program").unwrap();
    assert_eq!(of(SymbolFile::new(&other).vouched()), MappingNames::NoObject { path: other });
    assert_eq!(of(SymbolFile::new(&directory.0)), MappingNames::NoObject { path: directory.0.clone() });
    let absent = directory.0.join("absent");
    let kind = std::io::ErrorKind::NotFound;
    assert_eq!(of(SymbolFile::new(&absent)), MappingNames::Unreadable { path: absent, kind });
    assert!(matches!(of(SymbolFile::new("/proc/self/exe")), MappingNames::LookedUp { named: 1.., .. }));
}

#[test]
fn without_a_build_id_somebody_has_to_vouch() {
    let mut unnamed = read_back(&stack(), Symbolization::None);
    unnamed.mappings[0].build_id = None;
    let program = std::env::current_exe().unwrap();
    let mut profile = unnamed.clone();
    let refused = of_main(&mut profile, SymbolFile::new(&program));
    assert_eq!(refused, MappingNames::NotVouched { path: program.clone() });
    assert_eq!(profile, unnamed);
    let used = of_main(&mut profile, SymbolFile::new(&program).vouched());
    assert!(matches!(used, MappingNames::LookedUp { named: 1.., .. }), "{used:?}");
}

#[test]
fn a_vouched_file_without_that_code_is_no_help() {
    let mut profile = read_back(&stack(), Symbolization::None);
    profile.mappings[0].build_id = None;
    profile.mappings[0].offset += 1 << 40;
    let program = std::env::current_exe().unwrap();
    let refused = of_main(&mut profile, SymbolFile::new(&program).vouched());
    assert_eq!(refused, MappingNames::OtherLayout { path: program });
}

#[test]
fn a_file_is_not_answered_for_by_another_of_its_build() {
    let directory = Directory::new("version");
    let unnamed = read_back(&stack(), Symbolization::None);
    let mut symbolizer = Symbolizer::new();
    let mut named = |path: &Path| {
        let mut profile = unnamed.clone();
        let answers =
            symbolizer.symbolize(&mut profile, |mapping| is_main(mapping).then(|| SymbolFile::new(path)));
        match answers[0] {
            MappingNames::LookedUp { named, .. } => named,
            ref other => panic!("{other}"),
        }
    };
    let stripped = directory.program(|program| strip(program));
    assert_eq!(named(&stripped), 0);
    assert_eq!(named(&stripped), 0);
    let whole = directory.program(|program| program.push(0));
    assert!(named(&whole) > 0);
    assert!(named(&std::env::current_exe().unwrap()) > 0);
}

#[test]
fn nobody_is_asked_about_what_is_not_needed() {
    let mut profile = read_back(&stack(), Symbolization::None);
    let unused = Mapping { start: 1 << 60, limit: (1 << 60) + 1, ..Mapping::default() };
    profile.mappings.push(unused.clone());
    let mut asked = Vec::new();
    let answers = Symbolizer::new().symbolize(&mut profile, |mapping| {
        asked.push(mapping.clone());
        None
    });
    assert!(!asked.is_empty() && !asked.contains(&unused));
    assert_eq!(answers[0], MappingNames::NoFile);
    assert_eq!(answers.last(), Some(&MappingNames::NotAsked));
    let answers = Symbolizer::with(Symbolization::None).symbolize(&mut profile, |_| panic!("asked"));
    assert!(answers.iter().all(|answer| *answer == MappingNames::NotAsked));
}

/// As a writer that takes its mappings from the program headers has them.
#[test]
fn mappings_that_are_exactly_their_segments_lead_to_the_same_names() {
    let stack = stack();
    let expected = read_back(&stack, Symbolization::Full);
    let mut profile = read_back(&stack, Symbolization::None);
    for mapping in profile.mappings.iter_mut().filter(|mapping| Path::new(&mapping.path).is_file()) {
        let file = fs::read(&mapping.path).expect("a file");
        let file = object::File::parse(&*file).expect("an object");
        let segment = file.segments().find(|segment| segment.file_range().0 / 4096 == mapping.offset / 4096);
        let segment = segment.expect("the mapping's");
        let into_page = segment.address() % 4096;
        mapping.start += into_page;
        mapping.offset += into_page;
        mapping.limit = mapping.start + segment.size();
    }
    for location in &mut profile.locations {
        location.lines.clear();
    }
    Symbolizer::new().symbolize(&mut profile, at_its_path);
    let profile = Profile::from_pprof(&profile.to_pprof()).unwrap();
    assert!(profile.functions == expected.functions && profile.locations == expected.locations);
    assert!(profile.samples == expected.samples);
}
