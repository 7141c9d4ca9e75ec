//! What only an allocator that is told its answers can show.

use std::{
    alloc::{GlobalAlloc, Layout},
    hint::black_box,
    thread,
};

use allometer::Config;
use allometer_contract::{Block, Check, Recording, Subject, Values};

use crate::{
    ALLOC,
    scripted::{Call, Resizing, Scripted},
};

pub const CHECKS: &[Check] = &[
    Check::new("scripted::calls_arrive_once_and_unchanged", calls_arrive_once_and_unchanged),
    Check::new("scripted::a_realloc_in_place_counts_as_one_that_moves", in_place_counts_as_moved),
    Check::new("scripted::a_refused_realloc_leaves_the_block_followed", refused_realloc),
    Check::new("scripted::refused_requests_are_not_recorded", refused_requests_are_not_recorded),
    Check::new("scripted::the_profile_does_not_depend_on_moving", the_profile_does_not_depend_on_moving),
    Check::new("scripted::addresses_handed_on_at_once_are_told_apart", addresses_handed_on_at_once),
];

fn script() -> &'static Scripted {
    ALLOC.provider().get()
}

fn calls_arrive_once_and_unchanged(_: &Subject) {
    for (interval, live) in [(None, true), (Some(1), true), (Some(1), false), (Some(1 << 40), true)] {
        let session =
            |interval| Recording::start(Config::default().sample_interval(interval).live_heap(live));
        let recording = interval.map(session);
        each_call_arrives();
        drop(recording);
    }
}

fn each_call_arrives() {
    let layout = |size| Layout::from_size_align(size, 16).unwrap();
    let too_much = 1 << 56;
    let mut blocks = [std::ptr::null_mut(); 6];
    let calls = script().calls_during(|| {
        // SAFETY: no layout is empty; each block is live until it is resized or freed, with its own layout.
        unsafe {
            blocks[0] = ALLOC.alloc(layout(48));
            blocks[1] = ALLOC.alloc_zeroed(layout(3000));
            blocks[2] = ALLOC.realloc(blocks[0], layout(48), 50);
            blocks[3] = ALLOC.realloc(blocks[1], layout(3000), 7);
            blocks[4] = ALLOC.alloc(layout(too_much));
            blocks[5] = ALLOC.realloc(blocks[2], layout(50), too_much);
            ALLOC.dealloc(blocks[3], layout(7));
            ALLOC.dealloc(blocks[2], layout(50));
        }
    });
    let expected = [
        Call::Alloc(layout(48), blocks[0]),
        Call::AllocZeroed(layout(3000), blocks[1]),
        Call::Realloc(blocks[0], layout(48), 50, blocks[2]),
        Call::Realloc(blocks[1], layout(3000), 7, blocks[3]),
        Call::Alloc(layout(too_much), blocks[4]),
        Call::Realloc(blocks[2], layout(50), too_much, blocks[5]),
        Call::Dealloc(blocks[3], layout(7)),
        Call::Dealloc(blocks[2], layout(50)),
    ];
    assert_eq!(calls, expected);
    assert_eq!(blocks[0], blocks[2]);
    assert!(blocks[4].is_null() && blocks[5].is_null());
}

#[inline(never)]
fn first(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn again(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

fn in_place_counts_as_moved(_: &Subject) {
    // Both sizes of each pair round up to the same power of two.
    for (old, new) in [(65, 100), (100, 65), (70_000, 130_000)] {
        for (resizing, moves) in [(Resizing::Fitting, false), (Resizing::Moving, true)] {
            script().resize(resizing);
            let recording = Recording::exact();
            let block = first(old);
            let before = block.address();
            let (block, span) = recording.during(|| again(block, new));
            assert_eq!(block.address() != before, moves);
            let (old, new) = (old as i64, new as i64);
            assert_eq!(span.at("cases::first"), Values::default());
            assert_eq!(span.at("cases::again"), Values::new((1, new), (1, new)));
            drop(block);
            let end = recording.so_far();
            assert_eq!(end.at("cases::first"), Values::new((1, old), (0, 0)));
            assert_eq!(end.at("cases::again"), Values::new((1, new), (0, 0)));
        }
    }
}

fn refused_realloc(_: &Subject) {
    let recording = Recording::exact();
    let block = first(200);
    let (block, span) = recording.during(|| refused(block));
    assert_eq!(span.at("cases::refused"), Values::default());
    assert_eq!(span.at("cases::first"), Values::new((0, 0), (1, 200)));
    let ((), span) = recording.during(|| drop(block));
    assert_eq!(span.at("cases::first"), Values::default());
    assert_eq!(recording.so_far().at("cases::first"), Values::new((1, 200), (0, 0)));
}

#[inline(never)]
fn refused(block: Block) -> Block {
    // No longer than needed: the rest of the program takes a refusal for the end of all memory.
    script().resize(Resizing::Refusing);
    let block = block.resized(300).unwrap_err();
    let block = block.resized(10).unwrap_err();
    script().resize(Resizing::Fitting);
    block
}

fn refused_requests_are_not_recorded(_: &Subject) {
    let recording = Recording::exact();
    let ((), span) = recording.during(ask_in_vain);
    assert_eq!(span.at("cases::ask_in_vain"), Values::default());
    let (block, span) = recording.during(|| first(1 << 20));
    assert_eq!(span.at("cases::first"), Values::new((1, 1 << 20), (1, 1 << 20)));
    drop(block);
}

#[inline(never)]
fn ask_in_vain() {
    script().refuse_from(1 << 20);
    for size in [1 << 20, 1 << 30] {
        assert!(black_box(Block::new(size, 8)).is_none());
        assert!(black_box(Block::zeroed(size, 4096)).is_none());
    }
    script().refuse_from(usize::MAX);
}

/// Vectors that grow from 16 bytes to 64 KiB, in one thread, with the same seed.
fn the_profile_does_not_depend_on_moving(_: &Subject) {
    const VECTORS: usize = 500;
    let profile = |resizing| {
        script().resize(resizing);
        let config = Config::default().sample_interval(64 << 10).seed(42);
        let recording = Recording::start(config);
        let (kept, span) = recording.during(|| (0..VECTORS).map(|_| growing()).collect::<Vec<_>>());
        drop(kept);
        span.at("cases::growing")
    };
    let fitting = profile(Resizing::Fitting);
    assert!(fitting.alloc_objects > 0 && fitting.live_bytes > 0, "{fitting:?}");
    assert_eq!(fitting, profile(Resizing::Moving));
}

#[inline(never)]
fn growing() -> Block {
    // Each second step fits where the block is.
    let sizes = (4..16).flat_map(|power| [(1 << power) + 1, 2 << power]);
    sizes.fold(Block::new(16, 8).unwrap(), |block, size| black_box(block.resized(size).unwrap()))
}

fn addresses_handed_on_at_once(_: &Subject) {
    const THREADS: i64 = 4;
    const ROUNDS: i64 = 50_000;
    script().hand_on();
    script().resize(Resizing::Moving);
    let recording = Recording::exact();
    let ((), span) = recording.during(|| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| thread::spawn(|| (0..ROUNDS).for_each(|_| drop(again(first(40), 50)))))
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(span.at("cases::first"), Values::new((THREADS * ROUNDS, THREADS * ROUNDS * 40), (0, 0)));
    assert_eq!(span.at("cases::again"), Values::new((THREADS * ROUNDS, THREADS * ROUNDS * 50), (0, 0)));
}
