//! Single objects: held, freed, resized, elsewhere.

use std::{hint::black_box, path::Path, thread};

use allometer::{Config, Profiler};
use allometer_contract::{Block, Decoded, Scenario, scenario};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "what_is_held_is_in_each_report_until_it_is_freed",
        what_is_held_is_in_each_report_until_it_is_freed,
    ),
    scenario("another_thread_frees", another_thread_frees),
    scenario("a_resize_is_a_free_and_a_request", a_resize_is_a_free_and_a_request),
];

/// Two mebibytes: so much more than [`often`]'s interval that each such request is a sample, and stands for itself.
pub(super) const BLOCK: usize = 2 << 20;

/// A session of the interval with which that profiler is tested.
pub(super) fn often() -> Profiler {
    Profiler::start(Config::default().sample_interval(4096)).unwrap()
}

#[inline(never)]
pub(super) fn retained(size: usize) -> Vec<u8> {
    black_box(vec![1; size])
}

fn what_is_held_is_in_each_report_until_it_is_freed(_: &Path) {
    let mut profiler = often();
    let mut next = || Decoded::new(&profiler.report().unwrap()).at("blocks::retained");
    let block = retained(BLOCK);
    let (first, second) = (next(), next());
    assert_eq!((first.alloc_objects, first.alloc_bytes), (1, BLOCK as i64));
    assert_eq!((second.alloc_objects, second.alloc_bytes), (0, 0), "of its own interval alone");
    assert_eq!((first.live_bytes, second.live_bytes), (BLOCK as i64, BLOCK as i64));
    drop(block);
    let third = next();
    assert_eq!((third.live_objects, third.live_bytes), (0, 0));
}

fn another_thread_frees(_: &Path) {
    let mut profiler = often();
    let mut live = || Decoded::new(&profiler.report().unwrap()).at("blocks::zeroed").live_bytes;
    let block = thread::spawn(|| zeroed(BLOCK)).join().unwrap();
    assert_eq!(live(), BLOCK as i64, "of a thread that has ended");
    thread::spawn(move || drop(block)).join().unwrap();
    assert_eq!(live(), 0);
}

fn a_resize_is_a_free_and_a_request(_: &Path) {
    let mut profiler = often();
    let mut live = || {
        let report = Decoded::new(&profiler.report().unwrap());
        (report.at("blocks::zeroed").live_bytes, report.at("blocks::resized").live_bytes)
    };
    let block = zeroed(BLOCK);
    assert_eq!(live(), (BLOCK as i64, 0));
    let block = resized(block, 2 * BLOCK).unwrap();
    assert_eq!(live(), (0, 2 * BLOCK as i64), "of who has resized it, moved or not");
    let block = resized(block, usize::MAX >> 2).expect_err("no such room");
    assert_eq!(live(), (0, 2 * BLOCK as i64), "as it was");
    let block = resized(block, BLOCK / 2).unwrap();
    assert_eq!(live(), (0, BLOCK as i64 / 2));
    drop(block);
    assert_eq!(live(), (0, 0));
}

#[inline(never)]
fn zeroed(size: usize) -> Block {
    Block::zeroed(size, 8).unwrap()
}

#[inline(never)]
fn resized(block: Block, size: usize) -> Result<Block, Block> {
    // Something is left to do here, or the call would be a jump, and this function not on the stack.
    black_box(block.resized(size))
}
