//! What a session keeps beside its counters: the peak, lifetimes, sizes, and what grew.

use std::{thread, time::Duration};

use allometer_core::{Config, SiteId, Snapshot};

use crate::{Block, Check, Decoded, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("moments::the_peak_is_a_profile_of_its_own", the_peak_is_a_profile_of_its_own),
    Check::new("moments::a_resize_is_no_peak_of_both_sizes", a_resize_is_no_peak_of_both_sizes),
    Check::new("moments::a_peak_of_estimates_is_biased_upwards", a_peak_of_estimates_is_biased_upwards),
    Check::new("moments::objects_are_counted_by_how_long_they_lived", objects_are_counted_by_lifetime),
    Check::new("moments::requests_are_counted_by_size", requests_are_counted_by_size),
    Check::new("moments::growth_is_exact_at_interval_one", growth_is_exact_at_interval_one),
    Check::new("moments::a_full_live_table_lengthens_the_interval", a_full_live_table_lengthens_the_interval),
];

#[inline(never)]
fn tall(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn broad(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

/// Far more than the test program holds beside it.
const LARGE: usize = 64 << 20;

fn at_peak(recording: &Recording) -> Decoded {
    Decoded::new(&recording.snapshot().unwrap().at_peak().profile().to_pprof())
}

fn the_peak_is_a_profile_of_its_own(_: &Subject) {
    let recording = Recording::exact();
    let first = tall(LARGE);
    let second = broad(LARGE / 4);
    drop(first);
    let third = broad(LARGE / 8);
    let peak = at_peak(&recording);
    let live = |bytes: usize| bytes as i64;
    assert_eq!(peak.at("moments::tall"), Values::new((1, live(LARGE)), (1, live(LARGE))));
    let broad_alloc = (2, live(LARGE / 4 + LARGE / 8));
    assert_eq!(peak.at("moments::broad"), Values::new(broad_alloc, (1, live(LARGE / 4))));
    assert!(peak.comments().iter().any(|comment| comment.contains("peak")), "{:?}", peak.comments());
    // A larger one takes its place.
    let fourth = broad(2 * LARGE);
    let peak = at_peak(&recording);
    assert_eq!(peak.at("moments::tall").live_bytes, 0);
    assert_eq!(peak.at("moments::broad").live_objects, 3);
    drop((second, third, fourth));
    assert_eq!(at_peak(&recording).at("moments::broad").live_objects, 3);
}

fn a_resize_is_no_peak_of_both_sizes(_: &Subject) {
    let recording = Recording::exact();
    let before = recording.snapshot().unwrap().at_peak().totals().live.bytes.value;
    let block = tall(LARGE).resized(LARGE + 4096).unwrap();
    let peak = recording.snapshot().unwrap().at_peak().totals().live.bytes.value;
    assert!(peak - before < 1.5 * LARGE as f64, "{before} {peak}");
    drop(block);
}

fn a_peak_of_estimates_is_biased_upwards(_: &Subject) {
    // A heap of a constant size, all of it replaced ten times: some 100 live samples at any moment.
    const BLOCKS: usize = 6400;
    const SEEDS: u64 = 20;
    let excess = |seed| {
        let config = Config::default().sample_interval(1 << 16).seed(seed);
        let mut blocks = Vec::with_capacity(BLOCKS);
        let recording = Recording::start(config);
        blocks.extend((0..BLOCKS).map(|_| tall(1024)));
        for turn in 0..10 * BLOCKS {
            blocks[turn % BLOCKS] = tall(1024);
        }
        let peak = at_peak(&recording).at("moments::tall").live_bytes;
        peak as f64 / (BLOCKS * 1024) as f64 - 1.0
    };
    let mean = (0..SEEDS).map(excess).sum::<f64>() / SEEDS as f64;
    // One standard error of the live heap is 10 %. The largest of many estimates lies one to three above.
    assert!((0.10..0.35).contains(&mean), "{mean}");
}

fn objects_are_counted_by_lifetime(_: &Subject) {
    let recording = Recording::start(Config::default().sample_interval(1).lifetimes(true));
    drop((0..10).map(|_| tall(40)).collect::<Vec<_>>());
    let held = broad(50);
    thread::sleep(Duration::from_millis(300));
    drop(held);
    let profile = recording.snapshot().unwrap().profile();
    let of = |function: &str| {
        let is_it = |index: &allometer_profile::LocationIndex| {
            let lines = &profile.location(*index).unwrap().lines;
            lines.iter().any(|line| profile.function(line.function).unwrap().name.ends_with(function))
        };
        let sample = profile.samples.iter().find(|sample| sample.stack.iter().any(is_it)).unwrap();
        sample.lifetimes.clone().unwrap()
    };
    assert_eq!((of("moments::tall").total(), of("moments::broad").total()), (10.0, 1.0));
    // It slept for so long at least; classes are powers of two.
    assert!(of("moments::broad").quantile(0.0).unwrap() >= Duration::from_millis(262));
    let without = Recording::exact;
    drop(recording);
    assert!(without().snapshot().unwrap().profile().samples.iter().all(|sample| sample.lifetimes.is_none()));
}

fn requests_are_counted_by_size(_: &Subject) {
    let recording = Recording::exact();
    let sizes = |snapshot: &Snapshot| snapshot.sizes().to_vec();
    let before = recording.snapshot().unwrap();
    drop((0..7).map(|_| tall((1 << 20) + 1)).collect::<Vec<_>>());
    let after = recording.snapshot().unwrap();
    let grown: Vec<f64> =
        sizes(&after).iter().zip(sizes(&before)).map(|(after, before)| after - before).collect();
    // 2²⁰ + 1 needs 21 bits.
    assert_eq!(grown[21], 7.0, "{grown:?}");
    assert_eq!(grown[22..].iter().sum::<f64>(), 0.0);
}

fn growth_is_exact_at_interval_one(_: &Subject) {
    let recording = Recording::exact();
    let (kept, gone) = (tall(100), broad(300));
    let before = recording.snapshot().unwrap();
    drop(gone);
    let more = [tall(100), tall(100)];
    let after = recording.snapshot().unwrap();
    let span = after.since(&before).unwrap();
    let site_of = |size: usize, snapshot: &Snapshot| -> SiteId {
        let mut samples = snapshot.live_samples().iter();
        samples.find(|sample| sample.size == size).unwrap().site
    };
    let (tall_site, broad_site) = (site_of(100, &after), site_of(300, &before));
    let bytes = |site| span.growth(site).amount.bytes;
    // The three blocks come from two lines of this check, so the new ones may have a site of their own.
    let grown: f64 = span
        .sites()
        .map(|site| bytes(site.id).value)
        .filter(|bytes| *bytes == 100.0 || *bytes == 200.0)
        .sum();
    assert_eq!(grown, 200.0);
    assert_eq!((bytes(broad_site).value, bytes(broad_site).variance), (-300.0, 0.0));
    assert!(bytes(tall_site).variance == 0.0);
    drop((kept, more));
}

fn a_full_live_table_lengthens_the_interval(_: &Subject) {
    const INTERVAL: u64 = 64;
    let recording =
        Recording::start(Config::default().sample_interval(INTERVAL).max_live_samples(500).seed(9));
    let mut blocks = Vec::with_capacity(20_000);
    blocks.extend((0..20_000).map(|_| tall(100)));
    let stats = recording.stats().unwrap();
    assert!(stats.live_samples <= 500 && stats.untracked.samples == 0, "{stats:?}");
    assert!(stats.sample_interval >= 8 * INTERVAL && stats.sample_interval.is_power_of_two(), "{stats:?}");
    let profile = recording.snapshot().unwrap().profile();
    assert_eq!(profile.metadata.sample_interval, stats.sample_interval);
    let comments = &profile.metadata.comments;
    assert!(comments.iter().any(|comment| comment.contains("doubled")), "{comments:?}");
    // Some 250 to 500 samples: the error of the total is between 4.5 and 6.5 %; four of them are allowed.
    let live = profile.total().live.objects;
    assert!((live.value - 20_000.0).abs() < 4.0 * 20_000.0 * 0.065, "{live:?}");
    assert!((0.03..0.09).contains(&(live.standard_error() / live.value)), "{live:?}");
    blocks.clear();
    let end = Decoded::new(&recording.snapshot().unwrap().profile().to_pprof());
    assert_eq!(end.at("moments::tall").live_bytes, 0);
}
