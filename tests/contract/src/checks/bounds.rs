//! What happens at a session's bounds: totals stay right, or say by how much they do not.

use allometer_core::Config;

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("bounds::beyond_the_sites_totals_stay_right", beyond_the_sites_totals_stay_right),
    Check::new("bounds::equal_stacks_take_no_more_room", equal_stacks_take_no_more_room),
    Check::new("bounds::beyond_the_live_samples_the_loss_is_told", beyond_the_live_samples_the_loss_is_told),
    Check::new("bounds::a_deep_stack_ends_in_a_marker", a_deep_stack_ends_in_a_marker),
];

fn exact() -> Config {
    Config::default().sample_interval(1)
}

#[inline(never)]
fn left(choices: u32) -> Block {
    branch(choices >> 1)
}

#[inline(never)]
fn right(choices: u32) -> Block {
    branch(choices >> 1)
}

/// A stack of its own for each number below 2¹⁶, which must have its highest bit as a marker of the end.
#[inline(never)]
fn branch(choices: u32) -> Block {
    match choices {
        0 | 1 => Block::new(20, 8).unwrap(),
        _ if choices & 1 == 0 => std::hint::black_box(left(choices)),
        _ => std::hint::black_box(right(choices)),
    }
}

fn beyond_the_sites_totals_stay_right(_: &Subject) {
    const STACKS: u32 = 256;
    // Room from before the session, so that the span holds the blocks and nothing else.
    let mut blocks = Vec::with_capacity(STACKS as usize);
    let recording = Recording::start(exact().max_sites(64));
    let ((), span) = recording.during(|| blocks.extend((STACKS..2 * STACKS).map(branch)));
    let total = span.total();
    let named = span.at("bounds::branch");
    let beyond = span.at("[site table full]");
    assert!(named.alloc_objects < i64::from(STACKS) && beyond.alloc_objects > 0, "{named:?} {beyond:?}");
    assert_eq!((total.alloc_objects, total.alloc_bytes), (i64::from(STACKS), i64::from(STACKS) * 20));
    assert_eq!(beyond.live_objects + named.live_objects, i64::from(STACKS));
    let lost = recording.stats().unwrap().site_overflow;
    assert!(lost.samples >= beyond.alloc_objects as u64, "{lost:?} {beyond:?}");
    drop(blocks);
    assert_eq!(recording.so_far().at("bounds::branch").live_objects, 0);
}

fn equal_stacks_take_no_more_room(_: &Subject) {
    const STACKS: u32 = 1024;
    const ROUNDS: usize = 200;
    let recording = Recording::start(exact().live_heap(false));
    let mut sites = Vec::with_capacity(ROUNDS);
    // From one line, which is part of each stack.
    for _ in 0..ROUNDS {
        (STACKS..2 * STACKS).for_each(|stack| drop(branch(stack)));
        sites.push(recording.stats().unwrap().sites);
    }
    assert!(sites.iter().all(|count| *count == sites[0]), "{sites:?}");
    let span = recording.so_far();
    assert_eq!(span.stacks("bounds::branch").count(), STACKS as usize, "a sample for each stack");
    assert_eq!(span.at("bounds::branch").alloc_objects, i64::from(STACKS) * ROUNDS as i64);
}

fn beyond_the_live_samples_the_loss_is_told(_: &Subject) {
    const BLOCKS: i64 = 2000;
    let recording = Recording::start(exact().max_live_samples(100));
    let (blocks, span) = recording.during(|| {
        let mut blocks = Vec::with_capacity(BLOCKS as usize);
        blocks.extend((0..BLOCKS).map(|_| beyond()));
        blocks
    });
    let values = span.at("bounds::beyond");
    assert_eq!((values.alloc_objects, values.alloc_bytes), (BLOCKS, BLOCKS * 15));
    assert!(values.live_objects <= 100, "{values:?}");
    let untracked = recording.stats().unwrap().untracked;
    assert!(untracked.samples as i64 >= BLOCKS - values.live_objects, "{untracked:?} {values:?}");
    assert!(untracked.objects as i64 >= BLOCKS - values.live_objects, "{untracked:?} {values:?}");
    let metadata = recording.snapshot().unwrap().profile().metadata;
    assert!(metadata.losses.iter().any(|loss| loss.events as i64 >= BLOCKS - 100), "{metadata:?}");
    drop(blocks);
    assert_eq!(recording.so_far().at("bounds::beyond"), Values::new((BLOCKS, BLOCKS * 15), (0, 0)));
}

#[inline(never)]
fn beyond() -> Block {
    Block::new(15, 8).unwrap()
}

fn a_deep_stack_ends_in_a_marker(_: &Subject) {
    let recording = Recording::start(exact().max_depth(20));
    let (block, span) = recording.during(|| deep(300));
    assert_eq!(span.at("bounds::deep"), Values::new((1, 25), (1, 25)));
    let stack = span.stacks("bounds::deep").next().unwrap();
    assert_eq!(stack.last().map(String::as_str), Some("[truncated]"), "{stack:?}");
    drop(block);
}

#[inline(never)]
fn deep(more: u32) -> Block {
    match more {
        0 => Block::new(25, 8).unwrap(),
        _ => std::hint::black_box(deep(more - 1)),
    }
}
