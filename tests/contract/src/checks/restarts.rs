//! One session after another, with objects and threads that live across them.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use allometer_core::Config;

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("restarts::each_session_starts_at_zero", each_session_starts_at_zero),
    Check::new("restarts::a_free_of_another_session_changes_nothing", a_free_of_another_session),
    Check::new("restarts::each_sample_keeps_the_weight_of_its_session", each_sample_keeps_its_weight),
    Check::new("restarts::under_load_nothing_crosses_over", under_load_nothing_crosses_over),
];

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn carried(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

fn each_session_starts_at_zero(_: &Subject) {
    let mut kept = Vec::with_capacity(8);
    for round in 1..=8 {
        let recording = Recording::exact();
        assert_eq!(recording.so_far().at("restarts::made"), Values::default(), "round {round}");
        kept.push(made(round));
        let expected = (1, round as i64);
        assert_eq!(recording.so_far().at("restarts::made"), Values::new(expected, expected));
    }
    drop(kept);
}

fn a_free_of_another_session(_: &Subject) {
    let first = Recording::exact();
    let blocks: Vec<_> = (0..500).map(|_| carried(64)).collect();
    drop(first);
    let second = Recording::exact();
    let (kept, span) = second.during(|| {
        drop(blocks);
        // Likely at the addresses of those that were just freed.
        (0..500).map(|_| made(64)).collect::<Vec<_>>()
    });
    assert_eq!(span.at("restarts::carried"), Values::default());
    assert_eq!(span.at("restarts::made"), Values::new((500, 32_000), (500, 32_000)));
    drop(kept);
    assert_eq!(second.so_far().at("restarts::made"), Values::new((500, 32_000), (0, 0)));
}

fn each_sample_keeps_its_weight(_: &Subject) {
    const BLOCKS: usize = 4000;
    let coarse = Recording::start(Config::default().sample_interval(1 << 20).seed(3));
    let survivors: Vec<_> = (0..BLOCKS).map(|_| carried(10_000)).collect();
    drop(coarse);
    let fine = Recording::start(Config::default().sample_interval(4096).seed(3));
    let blocks: Vec<_> = (0..BLOCKS).map(|_| made(10_000)).collect();
    let before = fine.so_far();
    drop(survivors);
    let after = fine.so_far();
    assert_eq!(
        (after.at("restarts::carried"), before.at("restarts::made")),
        (Values::default(), after.at("restarts::made"))
    );
    // p = 0.913: the error of a count of 4000 is 19.5; four of them.
    let live = after.at("restarts::made").live_objects;
    assert!((live - BLOCKS as i64).abs() < 78, "{live}");
    drop(blocks);
    assert_eq!(fine.so_far().at("restarts::made").live_objects, 0);
}

/// Threads that allocate and free all the time.
const LOADERS: usize = 4;
/// Blocks that each of them holds.
const WINDOW: usize = 256;

fn under_load_nothing_crosses_over(_: &Subject) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..LOADERS {
            scope.spawn(|| {
                // A window of blocks, so that most are freed in another session than their own.
                let mut window: Vec<Block> = Vec::new();
                let mut at = 0;
                while !stop.load(Ordering::Relaxed) {
                    at = (at + 1) % WINDOW;
                    if window.len() < WINDOW {
                        window.push(carried(48));
                    } else {
                        window[at] = carried(48);
                    }
                }
            });
        }
        let outcome = std::panic::catch_unwind(|| (0..300).for_each(restart));
        stop.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    // With the load gone, a last session is as exact as a first.
    let recording = Recording::exact();
    let (block, span) = recording.during(|| made(33));
    assert_eq!(span.at("restarts::made"), Values::new((1, 33), (1, 33)));
    drop(block);
}

/// One session of the load: its own block is in it, and nothing that could not be.
fn restart(round: u64) {
    // A size that nothing else in this process asks for, far above every interval.
    const OWN: usize = (1 << 20) + 1;
    let interval = [1, 100, 10_000][round as usize % 3];
    let recording = Recording::start(Config::default().sample_interval(interval));
    let block = made(OWN);
    let snapshot = recording.snapshot().unwrap();
    let live = |size| snapshot.live_samples().iter().filter(|sample| sample.size == size).count();
    assert_eq!(live(OWN), 1);
    // The windows; while the table is read, a block may take another's place behind the reader.
    assert!(live(48) <= 2 * LOADERS * WINDOW, "{} live", live(48));
    let totals = snapshot.totals();
    assert!(totals.live.bytes.value >= OWN as f64 && totals.alloc.bytes.value >= totals.live.bytes.value);
    drop(recording);
    drop(block);
}
