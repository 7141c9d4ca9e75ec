//! What reports say of libraries that came while the program ran, while they are loaded and after they have gone.

use std::{fs, path::Path};

use allometer::{
    Config, Profiler, Symbolization, Unwinding,
    profile::{Profile, SymbolFile, Symbolizer},
};

use crate::{
    HAS_TABLES,
    check::Check,
    libraries::{self, Directory},
    plugin::{Blocks, Plugin, Said},
};

pub const CHECKS: &[Check] = &[
    Check { name: "late_names::of_two_libraries_at_one_address", run: marked },
    Check { name: "late_names::of_two_libraries_without_build_id", run: unmarked },
    Check { name: "late_names::by_the_platform_s_unwinder", run: portable },
    Check { name: "late_names::of_a_library_that_was_built_again", run: rebuilt },
    Check { name: "late_names::of_a_library_without_build_id_that_was_built_again", run: rebuilt_unmarked },
    Check { name: "late_names::of_a_library_whose_file_is_gone", run: file_gone },
    Check { name: "late_names::of_modules_at_one_address_are_of_two_mappings", run: two_mappings },
    Check { name: "late_names::are_found_afterwards_in_a_profile_without_any", run: afterwards },
];

const MARKED: [Plugin; 2] =
    [Plugin { name: "marked_first", size: 3001 }, Plugin { name: "marked_other", size: 5003 }];
const UNMARKED: [Plugin; 2] =
    [Plugin { name: "unmarked_first", size: 3001 }, Plugin { name: "unmarked_other", size: 5003 }];
/// Blocks that each run of a plug-in allocates.
const COUNT: usize = 7;

/// A session that records every request. Frame pointers see the most, in every build.
fn session(way: Unwinding) -> Profiler {
    Profiler::start(Config::default().sample_interval(1).unwinding(way)).expect("a session")
}

fn bytes(plugin: Plugin) -> u64 {
    (plugin.size * COUNT) as u64
}

fn marked() {
    in_turn(MARKED, Unwinding::FramePointers);
}

fn unmarked() {
    in_turn(UNMARKED, Unwinding::FramePointers);
}

fn portable() {
    if HAS_TABLES {
        in_turn(MARKED, Unwinding::Portable);
        in_turn(UNMARKED, Unwinding::Portable);
    }
}

/// Two libraries in turn: reports of one reader, which keeps names, and of new ones that know nothing before.
fn in_turn(plugins: [Plugin; 2], way: Unwinding) {
    let mut profiler = session(way);
    let mut kept = Said::default();
    let mut expected = Said::default();
    let mut blocks: Vec<Blocks> = Vec::new();
    let mut addresses = Vec::new();
    for round in 0..6 {
        let plugin = plugins[round % 2];
        let (address, allocated) = plugin.run(COUNT, || {
            *expected.allocated.entry((plugin.name.to_owned(), plugin.size)).or_default() += bytes(plugin);
            *expected.live.entry((plugin.name.to_owned(), plugin.size)).or_default() += bytes(plugin);
            kept.live.clear();
            kept.add(&profiler.report().expect("a report"), &plugins);
            assert_eq!(kept, expected, "while it is loaded");
        });
        blocks.push(allocated);
        addresses.push(address);
        kept.live.clear();
        kept.add(&profiler.report().expect("a report"), &plugins);
        assert_eq!(kept, expected, "when it is gone");
        let anew = profiler.reader().report().expect("a report");
        assert_eq!(Said::of(&anew, &plugins), expected, "to somebody else");
    }
    let at_one_address = addresses.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(at_one_address > 0, "none came to the place of another: {addresses:x?}");
    drop(blocks);
    assert!(Said::of(&profiler.report().expect("a report"), &plugins).live.is_empty());
}

/// Whether a name is that of code in the file and no more.
fn is_offset(name: &str, path: &Path) -> bool {
    let file = path.file_name().and_then(|name| name.to_str()).expect("a name");
    name.strip_prefix(file).is_some_and(|offset| offset.starts_with("+0x"))
}

fn rebuilt() {
    replaced(MARKED);
}

fn rebuilt_unmarked() {
    replaced(UNMARKED);
}

/// Another library at the same path. Of the one that was there, only who has asked while it was there knows the
/// names, if it has a build id by which it can be told what they are the names of.
fn replaced([old, new]: [Plugin; 2]) {
    let directory = Directory::new();
    let mut profiler = session(Unwinding::FramePointers);
    let path = directory.install(old.name, "libplugin.so");
    let (first, _blocks) = old.run_at(&path, COUNT, || {
        let said = Said::of(&profiler.report().expect("a report"), &[old, new]);
        assert_eq!(said.live[&(old.name.to_owned(), old.size)], bytes(old));
    });
    directory.install(new.name, "libplugin.so");
    let check = |pprof: &[u8], names: &[&str]| {
        let said = Said::of(pprof, &[old, new]);
        for ((name, size), live) in &said.live {
            let plugin = if *size == old.size { old } else { new };
            assert_eq!(*live, bytes(plugin), "{said:?}");
            assert!(names.contains(&name.as_str()) || is_offset(name, &path), "{name} of {}", plugin.name);
            assert!(*name == plugin.name || is_offset(name, &path), "{name} of {}", plugin.name);
        }
        said.live.len()
    };
    assert_eq!(check(&profiler.report().expect("a report"), &[old.name]), 1);
    let (second, _blocks) = new.run_at(&path, COUNT, || {
        assert_eq!(check(&profiler.report().expect("a report"), &[old.name, new.name]), 2);
        assert_eq!(check(&profiler.reader().report().expect("a report"), &[new.name]), 2);
    });
    assert_eq!(first, second, "it came to another place");
    assert_eq!(check(&profiler.report().expect("a report"), &[old.name, new.name]), 2);
    directory.install(old.name, "libplugin.so");
    assert_eq!(check(&profiler.reader().report().expect("a report"), &[old.name]), 2);
}

fn file_gone() {
    for plugin in [MARKED[0], UNMARKED[0]] {
        let directory = Directory::new();
        let profiler = session(Unwinding::FramePointers);
        let path = directory.install(plugin.name, "libgone.so");
        let (_, _blocks) = plugin.run_at(&path, COUNT, || {});
        fs::remove_file(&path).expect("a file");
        let said = Said::of(&profiler.reader().report().expect("a report"), &[plugin]);
        let names: Vec<_> = said.live.keys().map(|(name, _)| name.clone()).collect();
        assert!(names.len() == 1 && is_offset(&names[0], &path), "{names:?}");
    }
}

/// One address, in a profile that was read back: two locations, two mappings.
fn two_mappings() {
    let profiler = session(Unwinding::FramePointers);
    let (first, _blocks) = MARKED[0].run(COUNT, || {});
    let (second, _blocks) = MARKED[1].run(COUNT, || {});
    assert_eq!(first, second, "it came to another place");
    let pprof = profiler.reader().report().expect("a report");
    let profile = Profile::from_pprof(&pprof).expect("a pprof");
    let of = |plugin: Plugin| {
        let path = libraries::path(plugin.name);
        let is_it = |mapping: &&allometer::profile::Mapping| Path::new(&mapping.path) == path;
        let mappings: Vec<_> = profile.mappings.iter().filter(is_it).collect();
        let [mapping] = mappings.as_slice() else { panic!("one mapping, not {mappings:?}") };
        assert!(mapping.symbols.functions && (mapping.start..mapping.limit).contains(&(first as u64)));
        let locations = profile.locations.iter().filter(|location| {
            location.mapping.and_then(|mapping| profile.mapping(mapping)).is_some_and(|of| is_it(&of))
        });
        let addresses: Vec<_> = locations.map(|location| location.address).collect();
        (addresses, mapping.build_id.clone().expect("a build id"))
    };
    let (one, other) = (of(MARKED[0]), of(MARKED[1]));
    assert!(one.0.len() == 1 && one.0 == other.0 && one.1 != other.1, "{one:?} {other:?}");
}

/// A profile that is written without names once the libraries have gone, and read somewhere else.
fn afterwards() {
    let profiler = session(Unwinding::FramePointers);
    let [(first, _blocks), (second, _others)] = MARKED.map(|plugin| plugin.run(COUNT, || {}));
    assert_eq!(first, second, "it came to another place");
    let snapshot = profiler.snapshot().expect("a snapshot");
    let written = |symbolization| {
        let profile = snapshot.since_start().profile_with(&mut Symbolizer::with(symbolization));
        Profile::from_pprof(&profile.to_pprof()).expect("a pprof")
    };
    let mut profile = written(Symbolization::None);
    Symbolizer::new().symbolize(&mut profile, |mapping| {
        Path::new(&mapping.path).is_file().then(|| SymbolFile::new(&mapping.path).vouched())
    });
    let pprof = profile.to_pprof();
    assert!(pprof == written(Symbolization::Full).to_pprof(), "not as it was in the process");
    let said = Said::of(&pprof, &MARKED);
    assert!(MARKED.iter().all(|plugin| said.live[&(plugin.name.to_owned(), plugin.size)] == bytes(*plugin)));
}
