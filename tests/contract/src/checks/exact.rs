//! At interval 1 every request is recorded, to the byte.

use allometer_core::Config;

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("exact::alloc_is_counted_to_the_byte", alloc_is_counted_to_the_byte),
    Check::new("exact::alloc_zeroed_is_counted_to_the_byte", alloc_zeroed_is_counted_to_the_byte),
    Check::new("exact::frees_bring_live_to_exactly_zero", frees_bring_live_to_exactly_zero),
    Check::new("exact::objects_from_before_the_session_do_not_count", objects_from_before_do_not_count),
    Check::new("exact::without_live_heap_only_allocations_count", without_live_heap_only_allocations_count),
    Check::new("exact::equal_stacks_are_one_sample", equal_stacks_are_one_sample),
    Check::new("exact::the_leaf_is_the_programs", the_leaf_is_the_programs),
];

/// From the smallest to several times the largest that allocators keep in pages of their own.
const SIZES: [usize; 9] = [1, 7, 16, 100, 4096, 65_536, 100_000, 1 << 20, 33 << 20];
const COUNT: i64 = SIZES.len() as i64;

fn total() -> i64 {
    SIZES.iter().sum::<usize>() as i64
}

#[inline(never)]
fn one_of_each() -> Vec<Block> {
    let mut blocks = reserved(SIZES.len());
    blocks.extend(SIZES.map(|size| Block::new(size, 8).unwrap()));
    blocks
}

#[inline(never)]
fn one_zeroed_of_each() -> Vec<Block> {
    let mut blocks = reserved(SIZES.len());
    blocks.extend(SIZES.map(|size| Block::zeroed(size, 8).unwrap()));
    blocks
}

/// Room for the blocks themselves, whose own request is told apart from theirs by this function's name.
#[inline(never)]
fn reserved(count: usize) -> Vec<Block> {
    std::hint::black_box(Vec::with_capacity(count))
}

fn room(blocks: usize) -> i64 {
    (blocks * size_of::<Block>()) as i64
}

fn alloc_is_counted_to_the_byte(_: &Subject) {
    let recording = Recording::exact();
    let (blocks, span) = recording.during(one_of_each);
    let expected = (COUNT + 1, total() + room(SIZES.len()));
    assert_eq!(span.at("exact::one_of_each"), Values::new(expected, expected));
    let room = (1, room(SIZES.len()));
    assert_eq!(span.at("exact::reserved"), Values::new(room, room));
    drop(blocks);
}

fn alloc_zeroed_is_counted_to_the_byte(_: &Subject) {
    let recording = Recording::exact();
    let (blocks, span) = recording.during(one_zeroed_of_each);
    let expected = (COUNT + 1, total() + room(SIZES.len()));
    assert_eq!(span.at("exact::one_zeroed_of_each"), Values::new(expected, expected));
    assert!(blocks.iter().zip(SIZES).all(|(block, size)| block.starts_with(0, size)));
}

fn frees_bring_live_to_exactly_zero(_: &Subject) {
    let recording = Recording::exact();
    let mut blocks = one_of_each();
    let all = total() + room(SIZES.len());
    let last = blocks.pop();
    let expected = Values::new((COUNT + 1, all), (COUNT, all - SIZES[SIZES.len() - 1] as i64));
    drop(last);
    assert_eq!(recording.so_far().at("exact::one_of_each"), expected);
    let ((), span) = recording.during(|| drop(blocks));
    assert_eq!(span.at("exact::one_of_each"), Values::default());
    assert_eq!(recording.so_far().at("exact::one_of_each"), Values::new((COUNT + 1, all), (0, 0)));
}

fn objects_from_before_do_not_count(_: &Subject) {
    let before = one_of_each();
    let recording = Recording::exact();
    assert_eq!(recording.so_far().at("exact::one_of_each"), Values::default());
    let (kept, span) = recording.during(|| {
        drop(before);
        one_of_each()
    });
    let expected = (COUNT + 1, total() + room(SIZES.len()));
    assert_eq!(span.at("exact::one_of_each"), Values::new(expected, expected));
    drop(kept);
}

fn without_live_heap_only_allocations_count(_: &Subject) {
    let recording = Recording::start(Config::default().sample_interval(1).live_heap(false));
    let (blocks, span) = recording.during(one_of_each);
    let expected = (COUNT + 1, total() + room(SIZES.len()));
    assert_eq!(span.at("exact::one_of_each"), Values::new(expected, (0, 0)));
    drop(blocks);
    assert_eq!(recording.so_far().total().live_objects, 0);
}

fn equal_stacks_are_one_sample(_: &Subject) {
    let recording = Recording::exact();
    let (blocks, span) = recording.during(|| {
        let mut blocks = reserved(1000);
        while blocks.len() < 1000 {
            blocks.push(repeated());
        }
        blocks
    });
    assert_eq!(span.at("exact::repeated"), Values::new((1000, 24_000), (1000, 24_000)));
    assert_eq!(span.stacks("exact::repeated").count(), 1);
    drop(blocks);
}

#[inline(never)]
fn repeated() -> Block {
    Block::new(24, 8).unwrap()
}

fn the_leaf_is_the_programs(_: &Subject) {
    let recording = Recording::exact();
    let (boxed, span) = recording.during(boxed);
    let stacks: Vec<_> = span.stacks("exact::boxed").collect();
    assert!(!stacks.is_empty());
    for name in stacks.into_iter().flatten() {
        // The entry that the compiler makes of a global allocator has one of these names.
        let shim = ["__rust_alloc", "__rust_no_alloc", "__rg_", "__rdl_", "__rustc::"];
        let of_ours = ["allometer_core", "allometer_provider", "SamplingAllocator"];
        for part in shim.into_iter().chain(of_ours) {
            assert!(!name.contains(part), "{name} in {span:?}");
        }
    }
    drop(boxed);
}

#[inline(never)]
fn boxed() -> Box<[u64; 20]> {
    std::hint::black_box(Box::new([3; 20]))
}
