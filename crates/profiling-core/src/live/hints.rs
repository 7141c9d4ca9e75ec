//! A byte for each slot of a bucket, which tells most slots that do not hold an object.

use crate::sync::{AtomicU64, Ordering::Relaxed};

/// The hints of one bucket, in one word: a look-up compares all of them at once, and reads a key only where
/// one agrees.
///
/// A slot's byte is written by whoever claims the slot, before the slot's key, and stays when the slot is
/// given up.
#[derive(Default, Debug)]
pub(super) struct Hints(AtomicU64);

/// What the slot of an object has as its hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint(u8);

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

impl Hint {
    /// From the low seven bits of `number`: never zero, which is the hint of a slot that was never used.
    pub(super) const fn new(number: u64) -> Self {
        Self(number as u8 | 0x80)
    }
}

impl Hints {
    /// Which slot `holds` an object, asked of the slots that may by their `hint`: of all that do, and now and
    /// then of another.
    #[inline(always)]
    pub(super) fn find(&self, hint: Hint, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let differing = self.0.load(Relaxed) ^ ONES.wrapping_mul(u64::from(hint.0));
        // The highest bit of each byte that is zero, and now and then of one above it (Mycroft, 1987).
        let mut zeros = differing.wrapping_sub(ONES) & !differing & ONES << 7;
        while zeros != 0 {
            let index = zeros.trailing_zeros() as usize / 8;
            if holds(index) {
                return Some(index);
            }
            zeros &= zeros - 1;
        }
        None
    }

    /// Sets the hint of slot `index`, which the caller has claimed.
    pub(super) fn set(&self, index: usize, hint: Hint) {
        let shift = index * 8;
        let before = (self.0.load(Relaxed) >> shift) as u8;
        // Others change other bytes meanwhile.
        self.0.fetch_xor(u64::from(before ^ hint.0) << shift, Relaxed);
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::bucket::SLOTS;
    use std::{cell::Cell, sync::Barrier};

    #[test]
    fn every_slot_with_the_hint_is_a_candidate() {
        let hints = Hints::default();
        assert_eq!(hints.find(Hint::new(0), |_| true), None);
        let mut set = [None; SLOTS];
        let mut random = 1;
        let mut others = 0;
        for _ in 0..100_000 {
            let number;
            (random, number) = crate::sampler::next_random(random);
            let (index, hint) = (number as usize >> 60 & 7, Hint::new(number));
            hints.set(index, hint);
            set[index] = Some(hint);
            let asked = Cell::new(0u8);
            hints.find(hint, |slot| {
                asked.set(asked.get() | 1 << slot);
                false
            });
            for (slot, set) in set.iter().enumerate() {
                let was_asked = asked.get() & 1 << slot != 0;
                assert!(was_asked || *set != Some(hint));
                others += usize::from(was_asked && *set != Some(hint));
            }
        }
        assert!(others < 1000, "{others} of 800 000 were not");
    }

    #[test]
    fn threads_set_hints_of_their_own_slots() {
        let (hints, together) = (Hints::default(), Barrier::new(4));
        std::thread::scope(|scope| {
            for index in 0..4 {
                let (hints, together) = (&hints, &together);
                scope.spawn(move || {
                    together.wait();
                    for n in 0..500_000 {
                        hints.set(index, Hint::new(n));
                        assert_eq!(hints.find(Hint::new(n), |found| found == index), Some(index));
                    }
                });
            }
        });
    }
}
