//! Exact counts of one piece of code.

use std::thread;

use allometer_core::{Budget, Config, Error, Profiler, measure_process, measure_thread};

use crate::{Block, Check, Subject};

pub(super) const CHECKS: &[Check] = &[
    Check::new("measurements::of_a_thread_are_exact", of_a_thread_are_exact),
    Check::new("measurements::of_the_process_count_every_thread", of_the_process_count_every_thread),
    Check::new("measurements::and_sessions_exclude_each_other", and_sessions_exclude_each_other),
    Check::new("measurements::of_the_process_are_one_at_a_time", of_the_process_are_one_at_a_time),
];

fn of_a_thread_are_exact(_: &Subject) {
    let (block, usage) = measure_thread(|| {
        drop(Block::new(5000, 8));
        Block::new(100, 8).unwrap().resized(200).unwrap()
    })
    .unwrap();
    assert_eq!((usage.allocations, usage.bytes, usage.peak_bytes), (3, 5300, 5000));
    assert_eq!((usage.live_objects, usage.live_bytes), (1, 200));
    usage.assert_budget(&Budget::default().allocations(3).bytes(5300).peak_bytes(5000));
    drop(block);
    let ((), usage) = measure_thread(|| drop(Block::new(5000, 64))).unwrap();
    usage.assert_no_leak();
}

fn of_the_process_count_every_thread(_: &Subject) {
    let work = || {
        let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| Block::new(1 << 20, 8).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    };
    let (blocks, usage) = measure_process(work).unwrap();
    // What the threads themselves need is counted too, and is much less than a block.
    assert_eq!((usage.live_bytes >> 20, usage.bytes >> 20, usage.peak_bytes >> 20), (4, 4, 4));
    drop(blocks);
}

fn and_sessions_exclude_each_other(_: &Subject) {
    let profiler = Profiler::start(Config::default()).unwrap();
    assert_eq!(measure_thread(|| ()).unwrap_err(), Error::AlreadyActive);
    drop(profiler);
    let (inner, _) = measure_thread(|| Profiler::start(Config::default()).unwrap_err()).unwrap();
    assert_eq!(inner, Error::AlreadyActive);
    drop(Profiler::start(Config::default()).unwrap());
}

fn of_the_process_are_one_at_a_time(_: &Subject) {
    let (inner, _) = measure_process(|| measure_process(|| ()).unwrap_err()).unwrap();
    assert_eq!(inner, Error::TooManyMeasurements { max: 1 });
}
