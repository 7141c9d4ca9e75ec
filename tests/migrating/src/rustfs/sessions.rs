//! Start, stop, and what is refused.

use std::path::Path;

use allometer::{Config, Error, Profiler, profile::SampleType};
use allometer_contract::{Decoded, Scenario, scenario};

use super::blocks::{BLOCK, retained};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("a_second_start_is_refused", a_second_start_is_refused),
    scenario("after_the_stop_there_are_no_reports", after_the_stop_there_are_no_reports),
    scenario("a_session_that_starts_again_begins_at_nothing", a_session_that_starts_again_begins_at_nothing),
    scenario("a_stopped_owner_leaves_the_next_session_alone", a_stopped_owner_leaves_the_next_session_alone),
    scenario("a_session_without_live_objects_has_none", a_session_without_live_objects_has_none),
];

fn a_second_start_is_refused(_: &Path) {
    let mut first = Profiler::start(Config::default()).unwrap();
    assert_eq!(Profiler::start(Config::default()).unwrap_err(), Error::AlreadyActive);
    assert!(first.report().is_ok(), "the first one goes on");
    let invalid = Profiler::start(Config::default().sample_interval(0)).unwrap_err();
    assert!(matches!(invalid, Error::IntervalOutOfRange { interval: 0, .. }), "{invalid}");
}

fn after_the_stop_there_are_no_reports(_: &Path) {
    let mut profiler = Profiler::start(Config::default()).unwrap();
    let mut reader = profiler.reader();
    assert!(profiler.report().is_ok() && reader.report().is_ok());
    profiler.stop();
    profiler.stop();
    assert_eq!(profiler.report().unwrap_err(), Error::Inactive);
    assert_eq!(profiler.stats().unwrap_err(), Error::Inactive);
    assert_eq!(reader.report().unwrap_err(), Error::Inactive);
    // The allocator goes on, and has a session again when it is asked for one.
    drop(retained(BLOCK));
    assert!(Profiler::start(Config::default()).is_ok());
}

fn a_session_that_starts_again_begins_at_nothing(_: &Path) {
    let mut first = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let of_first = retained(BLOCK);
    assert_eq!(Decoded::new(&first.report().unwrap()).at("blocks::retained").live_bytes, BLOCK as i64);
    first.stop();
    let mut second = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let of_second = retained(3 * BLOCK);
    drop(of_first);
    let report = Decoded::new(&second.report().unwrap()).at("blocks::retained");
    assert_eq!((report.alloc_objects, report.alloc_bytes), (1, 3 * BLOCK as i64));
    assert_eq!((report.live_objects, report.live_bytes), (1, 3 * BLOCK as i64));
    drop(of_second);
}

fn a_stopped_owner_leaves_the_next_session_alone(_: &Path) {
    let mut first = Profiler::start(Config::default()).unwrap();
    first.stop();
    let mut second = Profiler::start(Config::default()).unwrap();
    drop(first);
    assert!(second.report().is_ok());
    drop(second);
    assert!(Profiler::start(Config::default()).is_ok());
}

fn a_session_without_live_objects_has_none(_: &Path) {
    let mut profiler = Profiler::start(Config::default().sample_interval(1).live_heap(false)).unwrap();
    let block = retained(BLOCK);
    let report = Decoded::new(&profiler.report().unwrap());
    let of_block = report.at("blocks::retained");
    assert_eq!((of_block.alloc_objects, of_block.alloc_bytes), (1, BLOCK as i64));
    assert_eq!((report.total().live_objects, report.total().live_bytes), (0, 0));
    assert_eq!(profiler.stats().unwrap().live_samples, 0);
    // What viewers show first is there.
    let metadata = profiler.snapshot().unwrap().since_start().metadata();
    assert_eq!(metadata.default_type, SampleType::AllocBytes);
    drop(block);
}
