//! What a provider says of a block that it does not have, against blocks that it has. In a process of its own, because others'
//! tests look at how much is allocated.

// unsafe: allocates by hand.
#![allow(unsafe_code)]
// A failed expectation is a panic, as in any test.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout};

use allometer_mimalloc::Mimalloc;
use allometer_provider::Provider;

/// From 1 byte to 64 MiB, closer and closer; around the ends of pages as well.
fn sizes() -> impl Iterator<Item = usize> {
    let larger = (4000..15_030).map(|step| 1.0012f64.powi(step).round() as usize);
    let larger = larger.flat_map(|size| [size, size.next_multiple_of(4096), (size & !4095) + 1]);
    (1..4096).chain(larger).filter(|&size| size <= 64 << 20)
}

/// How much more a block has than it was said to have.
fn more(size: usize, align: usize) -> usize {
    let layout = Layout::from_size_align(size, align).unwrap();
    // SAFETY: the layout is not empty, and the block is live until `dealloc`.
    let usable = unsafe {
        let block = Mimalloc.alloc(layout);
        let usable = Mimalloc.usable_size(block, layout);
        Mimalloc.dealloc(block, layout);
        usable
    };
    let good = Mimalloc.good_size(size);
    assert!(good >= Some(size), "{size} {good:?}");
    usable.unwrap().checked_sub(good.unwrap()).unwrap()
}

#[test]
fn a_block_has_its_good_size() {
    for size in sizes() {
        assert_eq!(more(size, 1), 0, "{size}");
    }
}

#[test]
fn an_alignment_may_take_the_next_class() {
    let mut classes = 0;
    for (size, align) in sizes().filter(|&size| size >= 16).flat_map(|size| [(size, 8), (size, 16)]) {
        let good = |size| Mimalloc.good_size(size).unwrap();
        let next = good(size + align - 1) - good(size);
        let more = more(size, align);
        assert!(more <= next, "{size} {align}: {more} more, of {next}");
        classes += usize::from(more > 0);
    }
    assert!(classes > 0);
}
