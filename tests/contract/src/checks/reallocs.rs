//! A realloc that succeeds is a free of the old size and an allocation of the new one, where it was asked for.

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("reallocs::growing_moves_the_bytes_to_the_growing_site", growing_moves_the_bytes),
    Check::new("reallocs::shrinking_moves_the_bytes_to_the_shrinking_site", shrinking_moves_the_bytes),
    Check::new("reallocs::a_failed_one_changes_nothing", a_failed_one_changes_nothing),
    Check::new("reallocs::a_growing_vector_is_one_live_object", a_growing_vector_is_one_live_object),
    Check::new("reallocs::an_object_from_before_counts_from_now_on", an_object_from_before_counts),
    Check::new("reallocs::an_object_keeps_its_birth", an_object_keeps_its_birth),
];

#[inline(never)]
fn first(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn again(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

/// Old and new sizes: within what an allocator rounds up to, to the next size, and far away.
const GROWTHS: [(i64, i64); 6] =
    [(9, 10), (24, 48), (100, 5000), (4000, 4096), (200_000, 300_000), (1 << 20, 40 << 20)];

fn growing_moves_the_bytes(_: &Subject) {
    for (old, new) in GROWTHS {
        resized_block_is_counted_at(old, new);
    }
}

fn shrinking_moves_the_bytes(_: &Subject) {
    for (old, new) in GROWTHS {
        resized_block_is_counted_at(new, old);
    }
}

fn resized_block_is_counted_at(old: i64, new: i64) {
    let (old_size, new_size) = (old as usize, new as usize);
    let recording = Recording::exact();
    let (mut block, span) = recording.during(|| first(old_size));
    assert_eq!(span.at("reallocs::first"), Values::new((1, old), (1, old)));
    block.fill(5);
    let (block, span) = recording.during(|| again(block, new_size));
    assert_eq!(span.at("reallocs::first"), Values::default(), "{old} to {new}");
    assert_eq!(span.at("reallocs::again"), Values::new((1, new), (1, new)), "{old} to {new}");
    assert!(block.starts_with(5, old_size.min(new_size)), "{old} to {new}: the provider's content");
    drop(block);
    let end = recording.so_far();
    assert_eq!(end.at("reallocs::first"), Values::new((1, old), (0, 0)), "{old} to {new}");
    assert_eq!(end.at("reallocs::again"), Values::new((1, new), (0, 0)), "{old} to {new}");
}

fn a_failed_one_changes_nothing(_: &Subject) {
    let recording = Recording::exact();
    let mut block = first(900);
    block.fill(5);
    let (block, span) = recording.during(|| refused(block));
    assert_eq!(span.at("reallocs::refused"), Values::default());
    assert_eq!(span.at("reallocs::first"), Values::new((0, 0), (1, 900)));
    assert!(block.starts_with(5, 900));
    // It is still followed: one that succeeds afterwards finds it.
    let block = again(block, 901);
    assert_eq!(recording.so_far().at("reallocs::first"), Values::new((1, 900), (0, 0)));
    assert_eq!(recording.so_far().at("reallocs::again"), Values::new((1, 901), (1, 901)));
    drop(block);
    assert_eq!(recording.so_far().at("reallocs::again"), Values::new((1, 901), (0, 0)));
}

/// Asks for more than an address space holds.
#[inline(never)]
fn refused(block: Block) -> Block {
    block.resized(1 << 56).unwrap_err()
}

fn a_growing_vector_is_one_live_object(_: &Subject) {
    let recording = Recording::exact();
    let (vector, span) = recording.during(doubling);
    // 8 elements, then double until 65 536: 14 requests, their sizes a geometric series.
    let requested: i64 = (0..14).map(|doublings| 64 << doublings).sum();
    let kept = (vector.capacity() * size_of::<u64>()) as i64;
    assert_eq!(kept, 64 << 13);
    assert_eq!(span.at("reallocs::doubling"), Values::new((14, requested), (1, kept)));
    drop(vector);
    assert_eq!(recording.so_far().at("reallocs::doubling"), Values::new((14, requested), (0, 0)));
}

#[inline(never)]
fn doubling() -> Vec<u64> {
    let mut vector = Vec::with_capacity(8);
    for doublings in 0..14 {
        vector.resize(8 << doublings, 1);
        assert_eq!(vector.capacity(), vector.len());
    }
    std::hint::black_box(vector)
}

fn an_object_from_before_counts(_: &Subject) {
    let block = first(600);
    let recording = Recording::exact();
    let (block, span) = recording.during(|| again(block, 700));
    assert_eq!(span.at("reallocs::first"), Values::default());
    assert_eq!(span.at("reallocs::again"), Values::new((1, 700), (1, 700)));
    drop(block);
    assert_eq!(recording.so_far().at("reallocs::again"), Values::new((1, 700), (0, 0)));
}

fn an_object_keeps_its_birth(_: &Subject) {
    // Sizes that nothing else in this process asks for.
    const OLD: usize = 123_457;
    const NEW: usize = 1_234_577;
    let recording = Recording::exact();
    let birth_of = |size| {
        let snapshot = recording.snapshot().unwrap();
        let born: Vec<_> = snapshot.live_samples().iter().filter(|sample| sample.size == size).collect();
        assert_eq!(born.len(), 1, "{size}: {born:?}");
        born[0].birth
    };
    let block = first(OLD);
    let birth = birth_of(OLD);
    let younger = first(OLD + 1);
    assert!(birth_of(OLD + 1) >= birth);
    let block = again(block, NEW);
    assert_eq!(birth_of(NEW), birth);
    drop((block, younger));
}
