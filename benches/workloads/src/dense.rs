//! Pairs at addresses that are hard to hash, while much memory is held at such addresses.

use std::{hint::black_box, mem::MaybeUninit};

use crate::random::Random;

/// A block that begins at a multiple of 64 KiB, and is as large.
#[repr(align(65536))]
struct Chunk {
    _bytes: [u8; 64 << 10],
}

/// A block that begins at a multiple of 4 KiB, and is as large.
#[repr(align(4096))]
struct Page {
    _bytes: [u8; 4 << 10],
}

/// How many pages are held at a time.
const SLOTS: usize = 256;

/// Holds `hold` bytes in chunks, and `n` times replaces a random one of 256 pages. Nobody writes to them.
pub(crate) fn dense(n: u64, hold: u64) {
    let chunks = 0..hold / size_of::<Chunk>() as u64;
    let held: Vec<Box<MaybeUninit<Chunk>>> = chunks.map(|_| Box::new_uninit()).collect();
    let mut random = Random::new(1);
    let mut slots: [Box<MaybeUninit<Page>>; SLOTS] = std::array::from_fn(|_| Box::new_uninit());
    let slots = black_box(&mut slots);
    for _ in 0..n {
        slots[random.next() as usize % SLOTS] = Box::new_uninit();
    }
    black_box(held);
}
