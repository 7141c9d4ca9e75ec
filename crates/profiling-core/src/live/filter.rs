//! The test on every free: may this address be a sampled one?
//!
//! One byte counts the sampled addresses whose hash falls on it; a byte that has reached 255 stays there
//! until the session ends, so that the count can be wrong in one direction only. The free path reads one
//! word that holds the table's address and its size together, so that it never mixes two tables.

// unsafe: the free path reads the table through an address taken from that word.
#![allow(unsafe_code)]

use std::sync::atomic::{
    AtomicU8, AtomicUsize,
    Ordering::{AcqRel, Relaxed, Release},
};

use crate::os::{self, Reservation};

/// Cells for each sampled object at the bound: one free in eight is looked up for nothing there.
const CELLS_PER_SAMPLE: usize = 8;
/// A multiplier with a well-mixed high part (the golden ratio of 2⁶⁴).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Cells of the smallest table: a page of the machine.
const MIN_CELLS: usize = 4096;
/// The bits of a word that hold the shift.
const SHIFT_MASK: usize = 63;

/// What the free path reads: the address of the cells, whose low bits tell by how much a hash is shifted
/// to be an index of them. The cells start at just this address, so many bytes into their memory, which
/// saves the free path an instruction. Zero: nothing is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilterWord(pub(crate) usize);

impl FilterWord {
    /// Nothing is followed.
    pub(crate) const NONE: Self = Self(0);

    /// Whether an object at `address` may be a sampled one; false is certain.
    ///
    /// # Safety
    ///
    /// The word is that of a [`FilterMemory`], which may have been discarded since.
    #[inline(always)]
    pub(crate) unsafe fn may_hold(self, address: usize) -> bool {
        // SAFETY: forwarded from the caller.
        self.0 != 0 && unsafe { self.cell(address) }.load(Relaxed) != 0
    }

    /// # Safety
    ///
    /// As for [`FilterWord::may_hold`], and the word is not [`FilterWord::NONE`].
    #[inline(always)]
    unsafe fn cell<'a>(self, address: usize) -> &'a AtomicU8 {
        let address = address as u64;
        // The shift in front matters: blocks of equal size differ in few bits, all of them low.
        let hash = (address ^ (address >> 12)).wrapping_mul(GOLDEN);
        let index = (hash >> (self.0 & SHIFT_MASK)) as usize;
        let cells = std::ptr::with_exposed_provenance::<AtomicU8>(self.0);
        // SAFETY: the shift leaves an index below the number of cells, which are reserved.
        unsafe { &*cells.add(index) }
    }
}

/// The memory of one filter. Its addresses stay reserved for ever, because the free path reads them
/// without telling anybody; when a session ends, the pages go back and the addresses wait for the next.
#[derive(Debug)]
pub(crate) struct FilterMemory(FilterWord);

impl FilterMemory {
    /// No memory: nothing is followed.
    pub(crate) const NONE: Self = Self(FilterWord::NONE);

    /// Memory, all zero, for at least `max_live_samples` objects: that of an earlier session, which
    /// waits in `spare`, if it is large enough.
    pub(crate) fn new(max_live_samples: usize, spare: &AtomicUsize) -> Option<Self> {
        let cells = (max_live_samples * CELLS_PER_SAMPLE).next_power_of_two().max(MIN_CELLS);
        let shift = (u64::BITS - cells.ilog2()) as usize;
        let waiting = spare.swap(0, AcqRel);
        if waiting != 0 && waiting & SHIFT_MASK <= shift {
            return Some(Self(FilterWord(waiting)));
        }
        let memory = std::mem::ManuallyDrop::new(Reservation::new(cells + SHIFT_MASK)?);
        Some(Self(FilterWord(memory.base().as_ptr().expose_provenance() | shift)))
    }

    pub(crate) fn word(&self) -> FilterWord {
        self.0
    }

    /// Counts one more sampled object at `address`.
    pub(crate) fn add(&self, address: usize) {
        self.change(address, |count| count.checked_add(1));
    }

    /// Takes back one [`FilterMemory::add`] of `address`.
    pub(crate) fn remove(&self, address: usize) {
        self.change(address, |count| if count == u8::MAX { None } else { count.checked_sub(1) });
    }

    fn change(&self, address: usize, change: impl Fn(u8) -> Option<u8>) {
        if self.0 != FilterWord::NONE {
            // SAFETY: the memory is that of `new`, and stays reserved.
            let _ = unsafe { self.0.cell(address) }.fetch_update(Relaxed, Relaxed, change);
        }
    }

    /// Gives the pages back, and leaves the addresses in `spare`. Once, when nobody adds any more.
    pub(crate) fn discard(&self, spare: &AtomicUsize) {
        let word = self.0;
        if word != FilterWord::NONE {
            let cells = 1 << (u64::BITS as usize - (word.0 & SHIFT_MASK));
            let memory = std::ptr::with_exposed_provenance_mut(word.0 & !SHIFT_MASK);
            // SAFETY: the mapping that `new` made, and did not drop.
            unsafe { os::discard(memory, cells + SHIFT_MASK) };
            spare.store(word.0, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filter of its own.
    fn filter(max_live_samples: usize) -> FilterMemory {
        FilterMemory::new(max_live_samples, &AtomicUsize::new(0)).unwrap()
    }

    fn may_hold(filter: &FilterMemory, address: usize) -> bool {
        // SAFETY: the word of filter memory, which is never unmapped.
        unsafe { filter.word().may_hold(address) }
    }

    #[test]
    fn what_was_added_is_found_until_it_is_removed() {
        let filter = filter(1000);
        let address = |n: usize| 0x7f12_3400_0010 + n * 48;
        (0..1000).for_each(|n| filter.add(address(n)));
        assert!((0..1000).all(|n| may_hold(&filter, address(n))));
        (0..1000).step_by(2).for_each(|n| filter.remove(address(n)));
        assert!((0..1000).skip(1).step_by(2).all(|n| may_hold(&filter, address(n))));
        (0..1000).skip(1).step_by(2).for_each(|n| filter.remove(address(n)));
        assert!((0..1000).all(|n| !may_hold(&filter, address(n))));
        assert!(!may_hold(&FilterMemory::NONE, address(0)));
    }

    #[test]
    fn a_full_cell_stays() {
        let filter = filter(1);
        (0..300).for_each(|_| filter.add(64));
        (0..300).for_each(|_| filter.remove(64));
        assert!(may_hold(&filter, 64));
    }

    #[test]
    fn regular_addresses_spread() {
        let bound = 10_000;
        for stride in [16, 64, 4096, 65_536, 1 << 21] {
            let filter = filter(bound);
            (0..bound).for_each(|n| filter.add(n * 2 * stride));
            let wrong = (0..bound).filter(|n| may_hold(&filter, (n * 2 + 1) * stride)).count();
            // 131 072 cells, at most 10 000 of them taken: 7.4 % are hit by chance.
            assert!(wrong < bound / 5, "stride {stride}: {wrong} of {bound}");
        }
    }

    #[test]
    fn memory_serves_the_next_session_if_it_is_large_enough() {
        let spare = AtomicUsize::new(0);
        let first = FilterMemory::new(10_000, &spare).unwrap();
        first.add(64);
        first.discard(&spare);
        let smaller = FilterMemory::new(100, &spare).unwrap();
        assert_eq!(smaller.word(), first.word());
        assert!(!may_hold(&smaller, 64), "it is empty again");
        smaller.discard(&spare);
        assert_ne!(FilterMemory::new(100_000, &spare).unwrap().word(), first.word());
    }
}
