//! What a provider says of a block that it does not have, against blocks that it has. In a process of its own, because others'
//! tests look at how much is allocated.

// unsafe: allocates by hand.
#![allow(unsafe_code)]
// A failed expectation is a panic, as in any test.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout};

use allometer_jemalloc::Jemalloc;
use allometer_provider::Provider;

/// From 1 byte to 64 MiB, closer and closer; around the ends of pages as well.
fn sizes() -> impl Iterator<Item = usize> {
    let larger = (4000..15_030).map(|step| 1.0012f64.powi(step).round() as usize);
    let larger = larger.flat_map(|size| [size, size.next_multiple_of(4096), (size & !4095) + 1]);
    (1..4096).chain(larger).filter(|&size| size <= 64 << 20)
}

/// How much a block has.
fn usable(size: usize, align: usize) -> Option<usize> {
    let layout = Layout::from_size_align(size, align).unwrap();
    // SAFETY: the layout is not empty, and the block is live until `dealloc`.
    unsafe {
        let block = Jemalloc.alloc(layout);
        let usable = Jemalloc.usable_size(block, layout);
        Jemalloc.dealloc(block, layout);
        usable
    }
}

#[test]
fn a_block_has_its_good_size() {
    for size in sizes() {
        for align in [1, 8, 16].into_iter().filter(|&align| align <= size) {
            assert_eq!(usable(size, align), Jemalloc.good_size(size), "{size} {align}");
        }
    }
    assert_eq!(Jemalloc.good_size(usize::MAX), Some(usize::MAX), "of which there is no block");
}
