//! What the wrapper passes on: names, blocks and their alignment, usable sizes, null.

// unsafe: calls the wrapper's allocation methods and asks for usable sizes by pointer.
#![allow(unsafe_code)]

use std::alloc::Layout;

use allometer_core::Error;

use crate::{Block, Check, Recording, Subject, Values, resident};

pub(super) const CHECKS: &[Check] = &[
    Check::new("provider::the_profile_names_the_provider", the_profile_names_the_provider),
    Check::new("provider::a_session_asks_for_its_figures", a_session_asks_for_its_figures),
    Check::new("provider::blocks_are_aligned_and_large_enough", blocks_are_aligned_and_large_enough),
    Check::new("provider::the_four_calls_work_through_the_wrapper", the_four_calls_work_through_the_wrapper),
    Check::new("provider::null_is_passed_on_and_not_recorded", null_is_passed_on_and_not_recorded),
    Check::new("provider::zeros_are_the_provider_s_own", zeros_are_the_provider_s_own),
];

fn the_profile_names_the_provider(subject: &Subject) {
    assert_eq!(subject.provider.name(), subject.name);
    let recording = Recording::exact();
    let metadata = recording.snapshot().unwrap().profile().metadata;
    assert_eq!(metadata.provider.as_deref(), Some(subject.name));
    assert_eq!(metadata.sample_interval, 1);
    let written = recording.so_far();
    assert!(written.comments().iter().any(|comment| comment.contains(subject.name)), "{written:?}");
    assert_eq!(written.period(), 1);
}

fn a_session_asks_for_its_figures(subject: &Subject) {
    let mut recording = Recording::exact();
    let figures = recording.provider_figures().unwrap();
    let names: Vec<&str> = figures.iter().map(|figure| &*figure.name).collect();
    let stats = subject.provider.stats_function().map(|stats| stats()).unwrap_or_default();
    assert_eq!(names, stats.figures().map(|(name, _)| name).collect::<Vec<_>>());
    assert!(figures.iter().all(|figure| figure.bytes > 0 || figure.name == "retained"), "{figures:?}");
    let reader = recording.reader();
    recording.stop();
    assert_eq!(reader.provider_figures().unwrap_err(), Error::Inactive);
}

fn blocks_are_aligned_and_large_enough(subject: &Subject) {
    let recording = Recording::exact();
    for align in (0..=16).map(|power| 1 << power) {
        for size in [1, 24, 1000, 3 * align] {
            let block = over_aligned(size, align);
            assert_eq!(block.address() % align, 0, "{size} bytes aligned to {align}");
            // SAFETY: the block is live and came from this provider with this layout.
            let usable = unsafe { subject.provider.usable_size(block.as_ptr(), block.layout_of()) };
            assert!(usable.is_none_or(|usable| usable >= size), "{size} bytes: {usable:?} usable");
        }
    }
    assert_eq!(recording.so_far().at("provider::over_aligned").live_objects, 0);
}

#[inline(never)]
fn over_aligned(size: usize, align: usize) -> Block {
    Block::new(size, align).unwrap()
}

fn the_four_calls_work_through_the_wrapper(subject: &Subject) {
    let allocator = subject.allocator;
    let recording = Recording::exact();
    let layout = |size| Layout::from_size_align(size, 32).unwrap();
    // SAFETY: no layout is empty; each block is live until it is resized or freed, with its own layout.
    unsafe {
        let block = allocator.alloc(layout(100));
        block.write_bytes(7, 100);
        let block = allocator.realloc(block, layout(100), 100_000);
        assert!((0..100).all(|at| block.add(at).read() == 7));
        allocator.dealloc(block, layout(100_000));
        let block = allocator.alloc_zeroed(layout(100_000));
        assert!((0..100_000).all(|at| block.add(at).read() == 0));
        allocator.dealloc(block, layout(100_000));
    }
    drop(recording);
}

/// More than an address space holds, so that every provider must refuse it.
const TOO_MUCH: usize = 1 << 56;

fn null_is_passed_on_and_not_recorded(_: &Subject) {
    let recording = Recording::exact();
    let ((), span) = recording.during(refused);
    assert_eq!(span.at("provider::refused"), Values::default());
    let (kept, span) = recording.during(|| refused_to_grow(granted()));
    assert_eq!(span.at("provider::refused_to_grow"), Values::default());
    assert_eq!(span.at("provider::granted"), Values::new((1, 77), (1, 77)));
    assert!(kept.starts_with(9, 77));
    drop(kept);
    let freed = recording.so_far().at("provider::granted");
    assert_eq!(freed, Values::new((1, 77), (0, 0)));
}

/// The system's pages are zero already, so nobody writes to them.
fn zeros_are_the_provider_s_own(_: &Subject) {
    const GIBIBYTE: usize = 1 << 30;
    let recording = Recording::exact();
    let before = resident();
    let zeros = Block::zeroed(GIBIBYTE, 16).unwrap();
    assert!(zeros.starts_with(0, 100));
    let more = resident() - before;
    assert!(more < 64 << 20, "{more} bytes of memory for zeros");
    drop(zeros);
    assert_eq!(recording.so_far().at("provider::zeros_are_the_provider_s_own").live_objects, 0);
}

#[inline(never)]
fn refused() {
    assert!(Block::new(TOO_MUCH, 8).is_none());
    assert!(Block::zeroed(TOO_MUCH, 8).is_none());
    assert!(Block::new(TOO_MUCH, 4096).is_none());
}

#[inline(never)]
fn refused_to_grow(mut block: Block) -> Block {
    block.fill(9);
    block.resized(TOO_MUCH).unwrap_err()
}

#[inline(never)]
fn granted() -> Block {
    Block::new(77, 8).unwrap()
}
