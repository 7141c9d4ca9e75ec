//! Counters that never wrap: 112 bits, added to without a lock.

use crate::sync::{AtomicU64, Ordering::Relaxed};

/// A counter of 112 bits over two atomic words that overlap.
///
/// `low` is the total modulo 2⁶⁴, `high` is the total divided by 2⁴⁸. Each addition adds to `low` and
/// learns from the old value what it owes to `high`. A reader that comes between the two additions finds
/// `high` a little behind; the 16 bits that both hold let it choose the one total that ends in `low` and
/// is nearest to `high`. The reading is right as long as less than 2⁶³ is on its way at once, and exact
/// whenever nothing is.
#[derive(Default, Debug)]
pub(crate) struct Wide {
    low: AtomicU64,
    high: AtomicU64,
}

const SHIFT: u32 = 48;

impl Wide {
    pub(crate) fn add(&self, amount: u128) {
        // Variances are zero at interval one.
        if amount == 0 {
            return;
        }
        let old = self.low.fetch_add(amount as u64, Relaxed);
        let (new, carry) = old.overflowing_add(amount as u64);
        let owed = Self::owed(amount, carry).wrapping_add(new >> SHIFT).wrapping_sub(old >> SHIFT);
        if owed != 0 {
            self.high.fetch_add(owed, Relaxed);
        }
    }

    /// Takes back what was added before.
    pub(crate) fn sub(&self, amount: u128) {
        let old = self.low.fetch_sub(amount as u64, Relaxed);
        let (new, borrow) = old.overflowing_sub(amount as u64);
        let owed = Self::owed(amount, borrow).wrapping_add(old >> SHIFT).wrapping_sub(new >> SHIFT);
        if owed != 0 {
            self.high.fetch_sub(owed, Relaxed);
        }
    }

    /// What `high` is owed beyond the change of `low`: the upper word of `amount`, and what `low` carried.
    fn owed(amount: u128, carry: bool) -> u64 {
        ((amount >> 64) as u64 + u64::from(carry)) << (64 - SHIFT)
    }

    /// Overwrites the total; an addition at the same time may be lost or torn.
    pub(crate) fn store(&self, total: u128) {
        self.low.store(total as u64, Relaxed);
        self.high.store((total >> SHIFT) as u64, Relaxed);
    }

    /// The total. It is never below zero: a subtraction seen before its addition reads as nothing.
    pub(crate) fn load(&self) -> u128 {
        let high = self.high.load(Relaxed);
        let low = self.low.load(Relaxed);
        let ahead = low.wrapping_sub(high << SHIFT) as i64;
        let total = (i128::from(high) << SHIFT) + i128::from(ahead);
        total.max(0) as u128
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;

    fn with(amount: u128) -> Wide {
        let counter = Wide::default();
        counter.add(amount);
        counter
    }

    #[test]
    fn reads_back_what_was_added_at_every_edge() {
        for bits in [0, 1, 47, 48, 49, 62, 63, 64, 65, 95, 96, 110, 111] {
            for amount in [(1u128 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                let counter = with(amount);
                assert_eq!(counter.load(), amount, "{bits} bits");
                counter.store(0);
                assert_eq!(counter.load(), 0);
                counter.store(amount);
                counter.add(1);
                counter.add((1 << 48) - 1);
                assert_eq!(counter.load(), amount + (1 << 48), "{bits} bits");
                counter.sub(amount);
                assert_eq!(counter.load(), 1 << 48, "{bits} bits");
                counter.sub(1 << 48);
                assert_eq!((counter.low.into_inner(), counter.high.into_inner()), (0, 0));
            }
        }
    }

    #[test]
    fn a_reader_between_the_two_words_finds_the_total() {
        for before in [0, (1u128 << 48) - 1, (1 << 64) - 1, (1 << 100) - 1] {
            let counter = with(before);
            // An addition that has reached `low` only.
            counter.low.fetch_add(1 << 61, Relaxed);
            assert_eq!(counter.load(), before + (1 << 61));
            counter.low.fetch_sub(1 << 61, Relaxed);
            // A subtraction that has reached `low` only; below zero reads as nothing.
            counter.low.fetch_sub(5, Relaxed);
            assert_eq!(counter.load(), before.saturating_sub(5));
        }
    }

    #[test]
    fn threads_lose_nothing() {
        let counter = Wide::default();
        let amount = (1u128 << 60) + 12_345;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        counter.add(amount);
                        counter.add(amount);
                        counter.sub(amount);
                    }
                });
            }
        });
        assert_eq!(counter.load(), 40_000 * amount);
    }
}
