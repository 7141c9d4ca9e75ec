//! A population rebuilt from what real intervals sampled of it.
//!
//! A request of `S` bytes is sampled with probability `p = 1 - exp(-S/R)`, so the estimated count of `N`
//! equal ones has the variance `N (1-p)/p²` times `p`, which is `N (1-p)/p`, and their bytes `S²` times
//! that. Seeds are fixed: on one build a check passes always or never.

use std::thread;

use allometer_core::Config;

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("estimates::a_population_is_rebuilt_size_by_size", a_population_is_rebuilt_size_by_size),
    Check::new("estimates::mixed_sizes_add_up", mixed_sizes_add_up),
    Check::new("estimates::resized_objects_are_not_biased", resized_objects_are_not_biased),
    Check::new("estimates::threads_older_than_the_session_are_not_biased", older_threads_are_not_biased),
    Check::new("estimates::the_spread_is_what_the_formula_says", the_spread_is_what_the_formula_says),
    Check::new("estimates::the_profile_knows_its_own_error", the_profile_knows_its_own_error),
];

const INTERVALS: [u64; 2] = [512 << 10, 16 << 10];

/// Sizes in bytes, far below an interval and above it, and how many objects of each to make.
const POPULATION: [(usize, usize); 6] =
    [(24, 400_000), (500, 60_000), (4096, 20_000), (40_000, 4000), (600_000, 300), (3 << 20, 60)];

fn probability(size: usize, interval: u64) -> f64 {
    -(-(size as f64) / interval as f64).exp_m1()
}

/// Variance of the estimated count of `count` objects of `size` bytes, in objects squared.
fn variance(count: usize, size: usize, interval: u64) -> f64 {
    let p = probability(size, interval);
    count as f64 * (1.0 - p) / p
}

/// `estimate` is within four standard errors of `truth`; half a unit is what writing it rounded.
fn assert_near(what: &str, estimate: i64, truth: f64, variance: f64) {
    let distance = (estimate as f64 - truth).abs();
    assert!(
        distance <= 4.0 * variance.sqrt() + 0.5,
        "{what}: {estimate}, expected {truth} within four times {}",
        variance.sqrt()
    );
}

/// The estimate of `count` made and `kept` live objects of `size` bytes.
fn assert_rebuilt(values: Values, interval: u64, size: usize, count: usize, kept: usize) {
    let what = |of: &str| format!("{of} of {count} times {size} bytes at interval {interval}");
    let square = (size * size) as f64;
    let (made, live) = (variance(count, size, interval), variance(kept, size, interval));
    assert_near(&what("objects"), values.alloc_objects, count as f64, made);
    assert_near(&what("bytes"), values.alloc_bytes, (count * size) as f64, made * square);
    assert_near(&what("live objects"), values.live_objects, kept as f64, live);
    assert_near(&what("live bytes"), values.live_bytes, (kept * size) as f64, live * square);
}

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn grown(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

/// Makes `count` objects and keeps each second one of the first half, a quarter of all.
fn population(size: usize, count: usize) -> Vec<Block> {
    let mut kept = Vec::with_capacity(count / 4);
    for number in 0..count {
        let block = made(size);
        if kept.len() < count / 4 && number % 2 == 0 {
            kept.push(block);
        }
    }
    kept
}

fn a_population_is_rebuilt_size_by_size(_: &Subject) {
    for interval in INTERVALS {
        for (seed, (size, count)) in (1..).zip(POPULATION) {
            let recording = Recording::start(Config::default().sample_interval(interval).seed(seed));
            let (kept, span) = recording.during(|| population(size, count));
            assert_rebuilt(span.at("estimates::made"), interval, size, count, kept.len());
            drop(kept);
            let end = recording.so_far().at("estimates::made");
            assert_eq!((end.live_objects, end.live_bytes), (0, 0), "exactly nothing is live at the end");
        }
    }
}

fn mixed_sizes_add_up(_: &Subject) {
    let interval = 64 << 10;
    let recording = Recording::start(Config::default().sample_interval(interval).seed(7));
    let (kept, span) = recording.during(|| POPULATION.map(|(size, count)| population(size, count / 4)));
    let sum = |of: fn(usize, usize, u64) -> f64| -> f64 {
        POPULATION.iter().map(|&(size, count)| of(count / 4, size, interval)).sum()
    };
    let values = span.at("estimates::made");
    assert_near("objects", values.alloc_objects, sum(|count, _, _| count as f64), sum(variance));
    let bytes_variance = sum(|count, size, interval| variance(count, size, interval) * (size * size) as f64);
    assert_near("bytes", values.alloc_bytes, sum(|count, size, _| (count * size) as f64), bytes_variance);
    drop(kept);
}

fn resized_objects_are_not_biased(_: &Subject) {
    const COUNT: usize = 40_000;
    for (old, new) in [(32, 2000), (2000, 32), (300, 310)] {
        for interval in [512 << 10, 4096] {
            let recording = Recording::start(Config::default().sample_interval(interval).seed(3));
            let (kept, span) = recording.during(|| {
                let mut kept = Vec::with_capacity(COUNT);
                kept.extend((0..COUNT).map(|_| grown(made(old), new)));
                kept
            });
            assert_rebuilt(span.at("estimates::made"), interval, old, COUNT, 0);
            assert_rebuilt(span.at("estimates::grown"), interval, new, COUNT, COUNT);
            drop(kept);
        }
    }
}

fn older_threads_are_not_biased(_: &Subject) {
    // A thread asks for little in each session, so that what it counts down there was drawn for its first
    // request; something left over from the session before, of a rarer interval, would show in the sum.
    const THREADS: usize = 4;
    const SESSIONS: usize = 1000;
    const SIZE: usize = 8000;
    const EACH: usize = 4;
    let interval = 64 << 10;
    let barrier = std::sync::Barrier::new(THREADS + 1);
    let mut sum = 0.0;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..2 * SESSIONS {
                    barrier.wait();
                    (0..EACH).for_each(|_| drop(made(SIZE)));
                    barrier.wait();
                }
            });
        }
        for session in 0..SESSIONS as u64 {
            let in_session = |interval| {
                let recording = Recording::start(Config::default().sample_interval(interval).seed(session));
                allocated_objects(&recording, || {
                    barrier.wait();
                    barrier.wait();
                })
            };
            in_session(128 * interval);
            sum += in_session(interval);
        }
    });
    let count = THREADS * SESSIONS * EACH;
    assert_near("objects of all sessions", sum.round() as i64, count as f64, variance(count, SIZE, interval));
}

/// What `body` allocates, by the totals: nothing else may allocate beside it. Quicker than a profile.
fn allocated_objects(recording: &Recording, body: impl FnOnce()) -> f64 {
    let before = recording.snapshot().unwrap();
    body();
    let after = recording.snapshot().unwrap();
    after.since(&before).unwrap().totals().alloc.objects.value
}

fn the_spread_is_what_the_formula_says(_: &Subject) {
    const SEEDS: u64 = 200;
    let (size, count, interval) = (1000, 20_000, 64 << 10);
    let expected = variance(count, size, interval);
    let mut squares = 0.0;
    let mut sum = 0.0;
    for seed in 0..SEEDS {
        let recording = Recording::start(Config::default().sample_interval(interval).seed(seed));
        let make = || (0..count).for_each(|_| drop(made(size)));
        let off = allocated_objects(&recording, make) - count as f64;
        sum += off;
        squares += off * off / expected;
    }
    assert_near("mean over the seeds", (sum / SEEDS as f64).round() as i64, 0.0, expected / SEEDS as f64);
    // A sum of squares of that many independent normal figures: chi-squared, with this mean and variance.
    let (mean, deviation) = (SEEDS as f64, (2.0 * SEEDS as f64).sqrt());
    assert!(
        (squares - mean).abs() <= 4.0 * deviation,
        "{squares}, expected {mean} within 4 times {deviation}"
    );
}

fn the_profile_knows_its_own_error(_: &Subject) {
    let (size, count, interval) = (2000, 50_000, 64 << 10);
    let recording = Recording::start(Config::default().sample_interval(interval).seed(11));
    let before = recording.snapshot().unwrap();
    (0..count).for_each(|_| drop(made(size)));
    let after = recording.snapshot().unwrap();
    let totals = after.since(&before).unwrap().totals();
    // The estimate of the variance comes from the samples itself, so it has a relative error of one over
    // the square root of their number; what else the process asks for is far below that.
    let expected = variance(count, size, interval);
    let samples = count as f64 * probability(size, interval);
    for (what, estimated, expected) in [
        ("objects", totals.alloc.objects.variance, expected),
        ("bytes", totals.alloc.bytes.variance, expected * (size * size) as f64),
    ] {
        let off = (estimated / expected - 1.0).abs();
        assert!(off <= 4.0 / samples.sqrt() + 0.02, "{what}: {estimated}, expected {expected}");
    }
}
