//! What a provider says of itself, against what the program does: the table of `ProviderStats`, and that figures follow the heap.

// unsafe: asks for usable sizes by pointer.
#![allow(unsafe_code)]

use allometer_core::ProviderStats;

use crate::{Block, Check, Subject};

pub(super) const CHECKS: &[Check] = &[
    Check::new("figures::a_provider_has_those_of_the_table", a_provider_has_those_of_the_table),
    Check::new("figures::they_follow_a_large_block", they_follow_a_large_block),
    Check::new("figures::half_freed_small_blocks_stay_in_use", half_freed_small_blocks_stay_in_use),
    Check::new("figures::a_block_has_at_least_its_good_size", a_block_has_at_least_its_good_size),
];

const MIB: u64 = 1 << 20;

fn stats(subject: &Subject) -> ProviderStats {
    subject.provider.stats()
}

fn a_provider_has_those_of_the_table(subject: &Subject) {
    let expected: &[&str] = match subject.name {
        // The C library of a program without a loader cannot be asked.
        "system" if stats(subject) == ProviderStats::default() => &[],
        "system" => &["allocated", "committed"],
        "mimalloc" | "rustfs-mimalloc" => &["committed"],
        "jemalloc" => &["allocated", "active", "resident", "retained", "metadata"],
        _ => &[],
    };
    let figures = stats(subject);
    assert_eq!(figures.figures().map(|(name, _)| name).collect::<Vec<_>>(), expected);
    let of_kind = subject.provider.stats_function().map(|stats| stats()).unwrap_or_default();
    assert_eq!(of_kind.figures().count(), expected.len());
}

/// A figure that must have grown from the first to the second moment by so much, give or take a sixteenth, if there is one.
fn grew(figure: impl Fn(ProviderStats) -> Option<u64>, [from, to]: [ProviderStats; 2], bytes: u64) {
    let (Some(before), Some(after)) = (figure(from), figure(to)) else { return };
    let least = before + bytes - bytes / 16;
    assert!((least..least + bytes / 8).contains(&after), "{bytes} more: {from:?} {to:?}");
}

fn they_follow_a_large_block(subject: &Subject) {
    const SIZE: u64 = 256 * MIB;
    let before = stats(subject);
    let mut block = Block::new(SIZE as usize, 16).unwrap();
    block.fill(1);
    let during = stats(subject);
    drop(block);
    subject.provider.purge();
    let after = stats(subject);
    grew(|it| it.allocated, [before, during], SIZE);
    grew(|it| it.active, [before, during], SIZE);
    grew(|it| it.resident, [before, during], SIZE);
    grew(|it| it.allocated, [after, during], SIZE);
    grew(|it| it.active, [after, during], SIZE);
    grew(|it| it.resident, [after, during], SIZE);
    // What was resident is retained, or more: addresses are taken in ever larger pieces.
    assert!(after.retained >= before.retained.map(|bytes| bytes + SIZE), "{before:?} {after:?}");
    // Pages that were committed for what was there before may be among its own.
    assert!(during.committed >= before.committed.map(|bytes| bytes + SIZE / 2), "{before:?} {during:?}");
    if subject.name == "system" {
        grew(|it| it.committed, [after, during], SIZE);
    }
}

fn half_freed_small_blocks_stay_in_use(subject: &Subject) {
    const SIZE: u64 = 64;
    let before = stats(subject);
    let blocks: Vec<Block> = (0..64 * MIB / SIZE).map(|_| Block::new(SIZE as usize, 16).unwrap()).collect();
    let list = (blocks.capacity() * size_of::<Block>()) as u64;
    let full = stats(subject);
    // In their place, so that the list stays as it is.
    let half: Vec<Option<Block>> =
        blocks.into_iter().enumerate().map(|(at, block)| (at % 2 == 0).then_some(block)).collect();
    let halved = stats(subject);
    let block = subject.provider.good_size(SIZE as usize).unwrap_or_default() as u64;
    // A chunk of glibc has a word of its own, which counts.
    let block = if subject.name == "system" { block + 8 } else { block };
    let all = 64 * MIB / SIZE * block;
    let others = list + (half.capacity() * size_of::<Option<Block>>()) as u64;
    grew(|it| it.allocated, [before, full], all + list);
    if let (Some(allocated), Some(was)) = (halved.allocated, before.allocated) {
        let most = was + all / 2 + others + 2 * MIB;
        assert!(allocated < most, "half of {all} freed: {before:?} {full:?} {halved:?}");
    }
    // Each page still has a block.
    if let (Some(active), Some(was)) = (halved.active, before.active) {
        assert!(active >= was + all, "{before:?} {full:?} {halved:?}");
    }
    drop(half);
}

fn a_block_has_at_least_its_good_size(subject: &Subject) {
    for size in (1..300).chain((9..26).flat_map(|bits| [1 << bits, (1 << bits) + 1, 3 << (bits - 1)])) {
        let Some(good) = subject.provider.good_size(size) else { return };
        let block = Block::new(size, 1).unwrap();
        // SAFETY: the block is live and came from this provider with this layout.
        let usable = unsafe { subject.provider.usable_size(block.as_ptr(), block.layout_of()) };
        assert!(good >= size && usable.is_none_or(|usable| usable >= good), "{size}: {good} {usable:?}");
        let of_kind = subject.provider.good_size_function().map(|good_size| good_size(size));
        assert_eq!(of_kind, Some(good));
    }
}
