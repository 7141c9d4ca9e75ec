//! Pairs, while much memory is held.

use std::hint::black_box;

use crate::{
    block::{Block, block},
    pairs::pairs,
    random::Random,
    subject::Answer,
};

/// Size of a held block, in bytes: small beside the intervals, so that it takes many, large enough to be few.
const BLOCK: u64 = 16 << 10;

/// How often the pairs begin anew, at other addresses: a filter takes a few addresses in a hundred for others, and
/// how often these come up would be chance if there were few.
const ROUNDS: u64 = 32;

/// Blocks of 16 to 1 039 bytes that are held before all else, for each number of `shift`.
const SHIFT: u64 = 1000;

/// Holds `hold` bytes, which nobody writes to, and does `n` pairs, between which and the holding is `meanwhile`. With
/// another `shift` everything lies elsewhere.
pub(crate) fn live(n: u64, hold: u64, shift: u64, meanwhile: impl FnOnce() -> Answer<()>) -> Answer<()> {
    let mut random = Random::new(shift);
    let before: Vec<Block> = (0..shift * SHIFT).map(|_| block(16 + (random.next() as usize >> 22))).collect();
    let held: Vec<Block> = (0..hold / BLOCK).map(|_| block(BLOCK as usize)).collect();
    meanwhile()?;
    let left: Vec<_> = (0..ROUNDS).map(|round| pairs(n / ROUNDS, round)).collect();
    black_box((before, held, left));
    Ok(())
}
