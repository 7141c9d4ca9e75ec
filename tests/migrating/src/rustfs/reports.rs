//! Reports, snapshots and figures of one session, side by side.

use std::path::Path;

use allometer::{Config, Profiler, profile::Profile};
use allometer_contract::{Decoded, Scenario, scenario};

use super::blocks::{BLOCK, retained};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("a_report_says_what_it_is", a_report_says_what_it_is),
    scenario("snapshots_take_nothing_away", snapshots_take_nothing_away),
    scenario("the_figures_are_of_the_session", the_figures_are_of_the_session),
    scenario("an_interval_for_somebody_else_says_so", an_interval_for_somebody_else_says_so),
];

fn a_report_says_what_it_is(_: &Path) {
    let mut profiler = Profiler::start(Config::default()).unwrap();
    let block = retained(BLOCK);
    // The decoder asks for the four types, in their order.
    let report = profiler.report().unwrap();
    assert_eq!(Decoded::new(&report).period(), 512 << 10);
    let metadata = Profile::from_pprof(&report).unwrap().metadata;
    assert_eq!(metadata.default_type.name(), "inuse_space");
    assert!(metadata.start.is_some() && !metadata.duration.is_zero());
    drop(block);
}

fn snapshots_take_nothing_away(_: &Path) {
    let mut profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let at = |pprof: &[u8]| Decoded::new(pprof).at("blocks::retained").alloc_objects;
    let mut blocks = Vec::new();
    for round in 1..=3 {
        let before = profiler.snapshot().unwrap();
        blocks.push(retained(BLOCK));
        let after = profiler.snapshot().unwrap();
        assert_eq!(at(&after.profile().to_pprof()), round, "cumulative");
        assert_eq!(at(&after.since(&before).unwrap().profile().to_pprof()), 1, "of the span");
        assert_eq!(at(&profiler.report().unwrap()), 1, "since the last report");
    }
    assert_eq!(at(&profiler.reader().report().unwrap()), 3, "of a handle of its own");
}

fn the_figures_are_of_the_session(_: &Path) {
    let profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let before = profiler.stats().unwrap();
    let blocks: Vec<Vec<u8>> = (0..100).map(|_| retained(1000)).collect();
    let after = profiler.stats().unwrap();
    // The blocks, and the vector around them.
    assert_eq!(after.samples - before.samples, 101);
    assert_eq!(after.live_samples - before.live_samples, 101);
    assert_eq!((after.sample_interval, after.untracked.samples, after.site_overflow.samples), (1, 0, 0));
    let totals = profiler.snapshot().unwrap().totals();
    assert!(totals.live.bytes.value >= 100_000.0 && totals.live.bytes.variance == 0.0, "{totals:?}");
    let committed = profiler.provider_figures().unwrap();
    assert!(committed.iter().any(|figure| figure.name == "committed" && figure.bytes > 0), "{committed:?}");
    drop(blocks);
}

/// A program with an uploader of its own.
fn an_interval_for_somebody_else_says_so(_: &Path) {
    let profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let before = profiler.snapshot().unwrap();
    let block = retained(BLOCK);
    let after = profiler.snapshot().unwrap();
    let mut profile = after.since(&before).unwrap().profile();
    profile.metadata.is_interval = true;
    let pprof = profile.to_pprof();
    let has = |text: &[u8]| pprof.windows(text.len()).any(|window| window == text);
    assert!(has(b"__delta__") && has(b"false"));
    assert!(Profile::from_pprof(&pprof).unwrap().metadata.is_interval);
    drop(block);
}
