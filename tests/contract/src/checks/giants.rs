//! Requests above a limit: logged always, refused where that is wanted.

// unsafe: makes requests that are refused, and follows a block through a refused resize.
#![allow(unsafe_code)]

use std::{alloc::Layout, env, fs, hint::black_box, path::PathBuf};

use allometer_core::{Config, Error, Profiler};
use allometer_profile::Profile;

use crate::{Block, Check, Recording, Subject};

pub(super) const CHECKS: &[Check] = &[
    Check::new("giants::are_logged_with_their_stacks", are_logged_with_their_stacks),
    Check::new("giants::are_refused_before_the_provider_is_asked", are_refused),
    Check::new("giants::refused_resizes_leave_the_block", refused_resizes_leave_the_block),
    Check::new("giants::do_not_change_what_is_sampled", do_not_change_what_is_sampled),
    Check::new("giants::a_file_outlives_the_session", a_file_outlives_the_session),
    Check::new("giants::what_cannot_be_a_file_is_told", what_cannot_be_a_file_is_told),
];

const LIMIT: usize = 8 << 20;

/// A session at the largest interval, in which nothing is sampled by chance.
fn guarded() -> Config {
    Config::default().sample_interval(1 << 50).giant_limit(LIMIT as u64)
}

#[inline(never)]
fn large(size: usize) -> Option<Block> {
    // Not as the last thing, which this function would be no part of the stack for.
    black_box(Block::new(size, 8))
}

/// What the requests of this file asked for, in the order of the log, and whether they were refused.
fn sizes(giants: &Profile) -> Vec<(usize, bool)> {
    for sample in &giants.samples {
        // The hook is no part of a stack, and what is between it and the program neither.
        let place = giants.place(sample, 9);
        assert!(!place.contains("SamplingAllocator") && !place.contains("__rust_alloc"), "{place}");
    }
    let size = |sample: &allometer_profile::Sample| sample.figures.alloc.bytes.value as usize;
    let is_ours = |sample: &&allometer_profile::Sample| giants.place(sample, 9).contains("giants::large");
    giants.samples.iter().filter(is_ours).map(|sample| (size(sample), sample.tag.is_some())).collect()
}

fn are_logged_with_their_stacks(_: &Subject) {
    let recording = Recording::start(guarded());
    drop([large(LIMIT), large(LIMIT + 1), large(3 * LIMIT)]);
    // The countdown has ended many times by then, and a giant request still ends it.
    (0..100).for_each(|_| drop(large(LIMIT / 3)));
    drop(large(2 * LIMIT));
    let giants = recording.giants().unwrap();
    assert_eq!(sizes(&giants), [(LIMIT + 1, false), (3 * LIMIT, false), (2 * LIMIT, false)]);
    assert_eq!((recording.stats().unwrap().giants, recording.stats().unwrap().refused_giants), (3, 0));
    let comments = recording.snapshot().unwrap().profile().metadata.comments;
    assert!(comments.iter().any(|comment| comment.starts_with("3 requests of more than")), "{comments:?}");
    // The log keeps the last ones.
    (0..20).for_each(|more| drop(large(4 * LIMIT + more)));
    let expected: Vec<_> = (4..20).map(|more| (4 * LIMIT + more, false)).collect();
    assert_eq!(sizes(&recording.giants().unwrap()), expected);
    drop(recording);
    let without = Recording::exact();
    drop(large(2 * LIMIT));
    assert_eq!(without.giants().unwrap(), Profile::default());
}

fn are_refused(subject: &Subject) {
    let recording = Recording::start(guarded().sample_interval(1).refuse_giants(true));
    assert!(large(LIMIT + 1).is_none() && large(LIMIT).is_some());
    let layout = Layout::from_size_align(LIMIT + 1, 8).unwrap();
    // SAFETY: the layout has a size, and what is null is not used.
    assert!(unsafe { subject.allocator.alloc_zeroed(layout) }.is_null());
    assert_eq!(sizes(&recording.giants().unwrap()), [(LIMIT + 1, true)]);
    assert_eq!(recording.stats().unwrap().refused_giants, 2);
    let values = recording.so_far().at("giants::large");
    assert_eq!(
        (values.alloc_objects, values.alloc_bytes),
        (1, LIMIT as i64),
        "what was refused is not recorded"
    );
    assert!(Vec::<u8>::new().try_reserve_exact(LIMIT + 1).is_err());
    drop(recording);
    assert!(large(LIMIT + 1).is_some(), "there is no limit without a session");
}

fn refused_resizes_leave_the_block(_: &Subject) {
    let recording = Recording::start(guarded().sample_interval(1).refuse_giants(true));
    let mut bytes = vec![7u8; 1000];
    assert!(bytes.try_reserve_exact(LIMIT).is_err());
    assert!(bytes.iter().all(|byte| *byte == 7) && bytes.capacity() == 1000);
    let before = recording.snapshot().unwrap().totals().live.bytes.value;
    drop(bytes);
    let after = recording.snapshot().unwrap().totals().live.bytes.value;
    assert_eq!(before - after, 1000.0);
}

fn do_not_change_what_is_sampled(_: &Subject) {
    const REQUESTS: usize = 40_000;
    const SIZE: usize = 64 << 10;
    // The countdown ends sixteen times before each mark, on average.
    let config = Config::default().sample_interval(16 << 20).giant_limit(1 << 20).seed(11);
    let recording = Recording::start(config);
    (0..REQUESTS).for_each(|_| drop(large(SIZE)));
    let total = recording.so_far().at("giants::large").alloc_bytes as f64;
    let bytes = (REQUESTS * SIZE) as f64;
    // Some 156 samples.
    assert!((total / bytes - 1.0).abs() < 4.0 / 156f64.sqrt(), "{total} of {bytes}");
    assert_eq!(recording.stats().unwrap().giants, 0);
}

/// A file of this process.
fn file(name: &str) -> PathBuf {
    env::temp_dir().join(format!("allometer-giants-{}-{name}", std::process::id()))
}

fn a_file_outlives_the_session(_: &Subject) {
    let (path, previous) = (file("log"), file("log.previous"));
    let session = || Profiler::start(guarded().giant_file(&path)).unwrap();
    let mut first = session();
    drop(large(2 * LIMIT));
    let seen = first.giants().unwrap();
    first.stop();
    let mut kept = Profile::from_giant_log(&fs::read(&path).unwrap()).unwrap();
    assert!(kept.locations.iter().all(|location| location.lines.is_empty()), "without names");
    let find = |mapping: &allometer_profile::Mapping| Some(allometer_profile::SymbolFile::new(&mapping.path));
    allometer_profile::Symbolizer::new().symbolize(&mut kept, find);
    assert_eq!((sizes(&kept), kept.total()), (vec![(2 * LIMIT, false)], seen.total()));
    assert_eq!(fs::metadata(&path).unwrap().len(), 64 << 10);
    // The next session puts it aside, and leaves nothing where nothing happened.
    let mut second = session();
    assert!(second.giants().unwrap().samples.is_empty());
    second.stop();
    assert!(!path.exists() && Profile::from_giant_log(&fs::read(&previous).unwrap()).is_ok());
    fs::remove_file(previous).unwrap();
}

fn what_cannot_be_a_file_is_told(_: &Subject) {
    let path = file("directory");
    fs::create_dir(&path).unwrap();
    let of = |path: &PathBuf| Profiler::start(guarded().giant_file(path)).unwrap_err();
    assert!(matches!(of(&path), Error::GiantFile { .. }));
    let inside = path.join("missing").join("log");
    let error = of(&inside).to_string();
    assert!(error.contains("missing") && error.contains("cannot be made: No such file"), "{error}");
    let _ = Recording::exact();
    fs::remove_dir(path).unwrap();
}
