//! One byte of the filter: how many are counted there, and who it is if that is one.

use crate::sync::{AtomicU8, Ordering::Relaxed};

/// The count in the upper three bits; in the lower five the tags of all that are counted, by exclusive or.
/// So a cell where one is counted holds its tag, and an empty one is zero. A count that has reached
/// seven stays: it may then be too high, and never too low.
#[cfg_attr(not(any(loom, shuttle)), repr(transparent))]
#[cfg_attr(any(loom, shuttle), repr(align(128)))]
#[derive(Default, Debug)]
pub(super) struct Cell(AtomicU8);

/// Bytes of a cell, a power of two: one, but in a model, whose atomics are larger.
pub(super) const CELL: usize = size_of::<Cell>();
const _: () = assert!(if cfg!(any(loom, shuttle)) { CELL.is_power_of_two() } else { CELL == 1 });

/// What one look at a cell saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look(u8);

/// What tells an address from most others that are counted in the same cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(u8);

/// One, as a count.
const ONE: u8 = 1 << Tag::BITS;
const TWO: u8 = 2 * ONE;
const FULL: u8 = 7 * ONE;

impl Tag {
    pub(super) const BITS: u32 = 5;

    /// The low bits of `number`.
    pub(super) fn new(number: u64) -> Self {
        Self(number as u8 % ONE)
    }
}

impl Look {
    /// Nobody is counted here, or there is no filter.
    pub(super) const EMPTY: Self = Self(0);

    /// Whether nobody is counted here.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Whether one with `tag` may be counted here; false is certain.
    #[inline(always)]
    pub(super) fn may_be(self, tag: Tag) -> bool {
        let differing = self.0 ^ tag.0;
        differing == ONE || differing >= TWO
    }
}

impl Cell {
    #[inline(always)]
    pub(super) fn look(&self) -> Look {
        Look(self.0.load(Relaxed))
    }

    pub(super) fn add(&self, tag: Tag) {
        let more = |now| (now < FULL).then(|| (now + ONE) ^ tag.0);
        let _ = self.0.fetch_update(Relaxed, Relaxed, more);
    }

    /// For a cell that nobody adds to any more.
    pub(super) fn empty(&self) {
        self.0.store(Look::EMPTY.0, Relaxed);
    }

    /// Takes back one [`Cell::add`] of the same tag.
    pub(super) fn sub(&self, tag: Tag) {
        let less = |now| (ONE..FULL).contains(&now).then(|| (now - ONE) ^ tag.0);
        let _ = self.0.fetch_update(Relaxed, Relaxed, less);
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_from_others_by_its_tag() {
        let cell = Cell::default();
        for tag in (0..32).map(Tag::new) {
            assert!(cell.look().is_empty() && !cell.look().may_be(tag));
            cell.add(tag);
            assert!((0..32).map(Tag::new).all(|other| cell.look().may_be(other) == (other == tag)));
            cell.add(Tag::new(7));
            assert!((0..32).map(Tag::new).all(|other| cell.look().may_be(other)), "two may be anybody");
            cell.sub(tag);
            assert!(cell.look().may_be(Tag::new(7)) && !cell.look().may_be(Tag::new(8)));
            cell.sub(Tag::new(7));
        }
        assert!(cell.look().is_empty());
    }

    #[test]
    fn a_full_cell_stays() {
        let cell = Cell::default();
        (0..6).for_each(|n| cell.add(Tag::new(n)));
        (0..6).for_each(|n| cell.sub(Tag::new(n)));
        assert!(cell.look().is_empty(), "six can be taken back");
        (0..300).for_each(|n| cell.add(Tag::new(n)));
        (0..300).for_each(|n| cell.sub(Tag::new(n)));
        assert!((0..32).map(Tag::new).all(|tag| cell.look().may_be(tag)));
    }

    #[test]
    fn more_taken_back_than_added_is_nothing() {
        let cell = Cell::default();
        cell.sub(Tag::new(3));
        assert!(cell.look().is_empty());
    }
}
