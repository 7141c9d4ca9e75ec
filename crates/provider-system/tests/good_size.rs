//! What a provider says of a block that it does not have, against blocks that it has. In a process of its own, because others'
//! tests look at how much is allocated.

// unsafe: allocates by hand.
#![allow(unsafe_code)]
// A failed expectation is a panic, as in any test.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout};

use allometer_provider::Provider;
use allometer_system::System;

/// From 1 byte to 64 MiB, closer and closer; around the ends of pages as well.
fn sizes() -> impl Iterator<Item = usize> {
    let larger = (4000..15_030).map(|step| 1.0012f64.powi(step).round() as usize);
    let larger = larger.flat_map(|size| [size, size.next_multiple_of(4096), (size & !4095) + 1]);
    (1..4096).chain(larger).filter(|&size| size <= 64 << 20)
}

/// How much more the block at `ptr` has than it was said to have, if that is said.
fn more(ptr: *mut u8, layout: Layout) -> Option<usize> {
    let good = System.good_size(layout.size())?;
    assert!(good >= layout.size(), "{} {good}", layout.size());
    // SAFETY: a live block, as each caller has it.
    let usable = unsafe { System.usable_size(ptr, layout) };
    Some(usable.unwrap().checked_sub(good).unwrap())
}

fn most(size: usize) -> usize {
    const ALWAYS_MAPPED: usize = 32 << 20;
    match size {
        0x1_f000..ALWAYS_MAPPED => 4096,
        // Too little was left over for a block of its own.
        _ => 16,
    }
}

#[test]
fn a_block_has_its_good_size() {
    for size in sizes() {
        for align in [1, 8, 16].into_iter().filter(|&align| align <= size) {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the layout is not empty, and the block is live until `dealloc`.
            unsafe {
                let block = System.alloc(layout);
                let more = more(block, layout);
                System.dealloc(block, layout);
                assert!(more <= Some(most(size)), "{size} {align} {more:?}");
                assert_eq!(more.is_some(), cfg!(all(target_os = "linux", target_env = "gnu")));
            }
        }
    }
    assert!(System.good_size(usize::MAX).is_none_or(|good| good == usize::MAX), "of which there is no block");
}

/// Blocks come and go in no order, so that they are cut from what others left: 200 000 requests, of 4 KiB at most.
#[test]
fn a_block_of_a_busy_heap_has_little_more() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut blocks: Vec<(*mut u8, Layout)> = Vec::new();
    let (mut requested, mut unexpected) = (0, 0);
    for _ in 0..200_000 {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let number = (random >> 33) as usize;
        if blocks.len() > 2000 {
            let (block, layout) = blocks.swap_remove(number % blocks.len());
            // SAFETY: it is live, and no longer in the list.
            unsafe { System.dealloc(block, layout) };
        }
        let layout = Layout::from_size_align(1 + number % (1 << (number / 4096 % 13)), 1).unwrap();
        // SAFETY: the layout is not empty.
        let block = unsafe { System.alloc(layout) };
        let more = more(block, layout);
        assert!(more.is_none_or(|more| more == 0 || more == 16), "{layout:?} {more:?}");
        (requested, unexpected) = (requested + layout.size(), unexpected + more.unwrap_or_default());
        blocks.push((block, layout));
    }
    for (block, layout) in blocks {
        // SAFETY: each is live.
        unsafe { System.dealloc(block, layout) };
    }
    assert!(unexpected * 100 < requested, "{unexpected} bytes more, {requested} requested");
}
