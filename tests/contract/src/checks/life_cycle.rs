//! Sessions: what they refuse, and what is left of one that was stopped.

use std::{
    sync::{Arc, Barrier},
    thread,
};

use allometer_core::{Config, Error, Profiler};

use crate::{Block, Check, Decoded, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        "life_cycle::an_invalid_field_is_named_with_its_bound",
        an_invalid_field_is_named_with_its_bound,
    ),
    Check::new("life_cycle::a_second_session_is_refused", a_second_session_is_refused),
    Check::new("life_cycle::of_racing_starts_one_wins", of_racing_starts_one_wins),
    Check::new("life_cycle::after_stop_everything_is_inactive", after_stop_everything_is_inactive),
    Check::new("life_cycle::dropping_the_owner_stops", dropping_the_owner_stops),
    Check::new("life_cycle::a_stopped_owner_leaves_the_next_alone", a_stopped_owner_leaves_the_next_alone),
    Check::new("life_cycle::snapshots_outlive_the_session", snapshots_outlive_the_session),
    Check::new("life_cycle::spans_that_are_none_are_refused", spans_that_are_none_are_refused),
];

fn an_invalid_field_is_named_with_its_bound(_: &Subject) {
    let refusal = |config: Config| Profiler::start(config).expect_err("a refusal");
    let config = Config::default;
    let interval = refusal(config().sample_interval(0));
    assert!(
        matches!(interval, Error::IntervalOutOfRange { interval: 0, max } if max > 1 << 40),
        "{interval}"
    );
    let depth = refusal(config().max_depth(100_000));
    assert!(matches!(depth, Error::DepthOutOfRange { depth: 100_000, max: 128.. }), "{depth}");
    let sites = refusal(config().max_sites(0));
    assert!(matches!(sites, Error::SitesOutOfRange { sites: 0, max: 65_536.. }), "{sites}");
    let live = refusal(config().max_live_samples(usize::MAX));
    let most = usize::MAX;
    assert!(
        matches!(live, Error::LiveSamplesOutOfRange { samples, max: 262_144.. } if samples == most),
        "{live}"
    );
    assert!(Profiler::start(config()).is_ok(), "nothing is left of the refused ones");
}

fn a_second_session_is_refused(_: &Subject) {
    let recording = Recording::exact();
    let (block, span) = recording.during(|| {
        assert_eq!(Profiler::start(Config::default()).unwrap_err(), Error::AlreadyActive);
        kept(300)
    });
    assert_eq!(span.at("life_cycle::kept"), Values::new((1, 300), (1, 300)));
    assert!(recording.is_active());
    drop(block);
}

fn of_racing_starts_one_wins(_: &Subject) {
    const RACERS: usize = 4;
    for _ in 0..100 {
        // Each holds what it got until all have tried.
        let all_tried = Arc::new(Barrier::new(RACERS));
        let racers: Vec<_> = (0..RACERS)
            .map(|_| {
                let all_tried = Arc::clone(&all_tried);
                thread::spawn(move || {
                    let started = Profiler::start(Config::default());
                    all_tried.wait();
                    started.map(drop)
                })
            })
            .collect();
        let outcomes: Vec<_> = racers.into_iter().map(|racer| racer.join().unwrap()).collect();
        let lost = outcomes.iter().filter(|outcome| **outcome == Err(Error::AlreadyActive)).count();
        assert_eq!(lost, RACERS - 1, "{outcomes:?}");
        assert!(outcomes.contains(&Ok(())), "{outcomes:?}");
    }
}

fn after_stop_everything_is_inactive(_: &Subject) {
    let mut recording = Recording::exact();
    let mut reader = recording.reader();
    assert!(recording.is_active() && reader.is_active());
    recording.stop();
    assert!(!recording.is_active() && !reader.is_active());
    assert_eq!(recording.snapshot().unwrap_err(), Error::Inactive);
    assert_eq!(recording.report().unwrap_err(), Error::Inactive);
    assert_eq!(recording.stats().unwrap_err(), Error::Inactive);
    assert_eq!(reader.snapshot().unwrap_err(), Error::Inactive);
    assert_eq!(reader.report().unwrap_err(), Error::Inactive);
    assert_eq!(reader.stats().unwrap_err(), Error::Inactive);
    assert_eq!(recording.reader().snapshot().unwrap_err(), Error::Inactive);
    recording.stop();
    assert!(!recording.is_active());
}

fn dropping_the_owner_stops(_: &Subject) {
    let recording = Recording::exact();
    let reader = recording.reader();
    drop(recording);
    assert!(!reader.is_active());
    assert_eq!(reader.snapshot().unwrap_err(), Error::Inactive);
    assert!(Profiler::start(Config::default()).is_ok());
}

fn a_stopped_owner_leaves_the_next_alone(_: &Subject) {
    let mut first = Recording::exact();
    let mut reader = first.reader();
    first.stop();
    let second = Recording::exact();
    let (block, span) = second.during(|| {
        first.stop();
        assert!(!first.is_active() && !reader.is_active());
        assert_eq!(first.snapshot().unwrap_err(), Error::Inactive);
        assert_eq!(reader.report().unwrap_err(), Error::Inactive);
        drop(first);
        kept(400)
    });
    assert!(second.is_active());
    assert_eq!(span.at("life_cycle::kept"), Values::new((1, 400), (1, 400)));
    drop(block);
    assert_eq!(second.so_far().at("life_cycle::kept"), Values::new((1, 400), (0, 0)));
}

fn snapshots_outlive_the_session(_: &Subject) {
    let mut recording = Recording::exact();
    let before = recording.snapshot().unwrap();
    let block = kept(500);
    let after = recording.snapshot().unwrap();
    recording.stop();
    drop(block);
    // Another session in the same place must not show in them.
    let next = Recording::exact();
    let others = kept(600);
    let span = after.since(&before).unwrap();
    let expected = Values::new((1, 500), (1, 500));
    assert_eq!(Decoded::new(&span.profile().to_pprof()).at("life_cycle::kept"), expected);
    drop(next);
    let whole = after.profile();
    assert_eq!(Decoded::new(&whole.to_pprof()).at("life_cycle::kept"), expected);
    assert!(after.live_samples().iter().any(|sample| sample.size == 500));
    drop(others);
}

fn spans_that_are_none_are_refused(_: &Subject) {
    let mut first = Recording::exact();
    let earlier = first.snapshot().unwrap();
    let later = first.snapshot().unwrap();
    assert!(later.since(&earlier).is_ok() && later.since(&later).is_ok());
    assert_eq!(earlier.since(&later).err(), Some(Error::WrongOrder));
    first.stop();
    let second = Recording::exact();
    let other = second.snapshot().unwrap();
    assert_eq!(other.since(&later).err(), Some(Error::OtherSession));
    assert_eq!(later.since(&other).err(), Some(Error::OtherSession));
}

#[inline(never)]
fn kept(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}
