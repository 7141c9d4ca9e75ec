//! What blocks have beyond what was requested, by site, against what the provider says of each.

use allometer_core::Config;
use allometer_profile::{Estimate, Profile};

use crate::{Block, Check, Recording, Subject};

pub(super) const CHECKS: &[Check] = &[
    Check::new("slack::it_is_that_of_each_live_object", it_is_that_of_each_live_object),
    Check::new("slack::it_is_estimated_without_bias", it_is_estimated_without_bias),
    Check::new("slack::it_is_not_known_without_live_objects", it_is_not_known_without_live_objects),
];

/// Sizes of which most have slack, from 1 byte to a page.
fn sizes() -> impl Iterator<Item = usize> {
    (1..=40).cycle().map(|step| 1 + step * 101)
}

#[inline(never)]
fn kept(count: usize) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(count);
    for size in sizes().take(count) {
        blocks.push(Block::new(size, 1).unwrap());
    }
    blocks
}

/// Of so many blocks, if the provider can tell.
fn expected(subject: &Subject, count: usize) -> Option<f64> {
    let each = |size: usize| Some((subject.provider.good_size(size)? - size) as f64);
    sizes().take(count).map(each).sum()
}

/// Of the blocks that [`kept`] allocated.
fn found(profile: &Profile) -> Option<Estimate> {
    let is_here = |name: &str| name.ends_with("slack::kept");
    let mut samples = profile.samples.iter().filter(|sample| {
        let lines = sample.stack.iter().flat_map(|&at| &profile.locations[at.0 as usize].lines);
        lines.into_iter().any(|line| is_here(&profile.function(line.function).unwrap().name))
            // Not the list of them.
            && sample.figures.live.objects.value > 5.0
    });
    let sample = samples.next().expect("its site");
    assert!(samples.next().is_none());
    sample.slack
}

fn it_is_that_of_each_live_object(subject: &Subject) {
    let recording = Recording::exact();
    let mut blocks = kept(1000);
    blocks.truncate(600);
    let profile = recording.snapshot().unwrap().profile();
    assert_eq!(found(&profile), expected(subject, 600).map(Estimate::exact));
    let read = Profile::from_pprof(&profile.to_pprof()).unwrap();
    assert_eq!(found(&read), found(&profile), "through a file");
    assert_eq!(profile.slack().is_some(), subject.provider.good_size(8).is_some());
}

/// The bound is five standard errors, which are those of the estimate itself.
fn it_is_estimated_without_bias(subject: &Subject) {
    const COUNT: usize = 100_000;
    let recording = Recording::start(Config::default().sample_interval(16 << 10).seed(7));
    let blocks = kept(COUNT);
    let profile = recording.snapshot().unwrap().profile();
    let Some(expected) = expected(subject, COUNT) else { return };
    let slack = found(&profile).unwrap();
    let error = slack.standard_error();
    assert!((slack.value - expected).abs() < 5.0 * error, "{slack:?} for {expected}");
    assert!(error > 0.0 && error < expected / 20.0, "{slack:?} for {expected}");
    drop(blocks);
}

fn it_is_not_known_without_live_objects(_: &Subject) {
    let recording = Recording::start(Config::default().sample_interval(1).live_heap(false));
    let blocks = kept(100);
    let profile = recording.snapshot().unwrap().profile();
    assert_eq!(profile.slack(), None);
    drop((blocks, recording));
    let recording = Recording::exact();
    let blocks = kept(100);
    let snapshot = recording.snapshot().unwrap();
    assert_eq!(snapshot.at_peak().profile().slack(), None, "of objects of the peak nothing is kept");
    drop(blocks);
}
