//! One free and one allocation, over and over.

use std::{hint::black_box, mem};

use crate::{
    block::{Block, block, free},
    random::Random,
};

/// How many blocks are held at a time.
const SLOTS: usize = 256;
/// The smallest block, in bytes; the largest is 1 023 bytes larger.
const SMALLEST: usize = 16;

/// `n` times, replaces a random one of 256 blocks with one of 16 to 1 039 bytes; answers those that are left.
#[inline(never)]
pub(crate) fn pairs(n: u64, seed: u64) -> Box<[Block; SLOTS]> {
    let mut random = Random::new(seed);
    let mut slots: Box<[Block; SLOTS]> = black_box(Box::new(std::array::from_fn(|_| block(SMALLEST))));
    for _ in 0..n {
        let bits = random.next() as usize;
        let new = block(SMALLEST + (bits >> 22));
        free(mem::replace(&mut slots[bits % SLOTS], new));
    }
    slots
}
