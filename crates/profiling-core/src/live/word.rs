//! What the free path reads: where the cells of the filter are, in one word.

// unsafe: the free path reads the cells through an address taken from that word.
#![allow(unsafe_code)]

use super::{
    cell::{CELL, Cell, Look},
    spread::Spread,
};

/// Most bits of an index.
pub(super) const MAX_WIDTH: u32 = Spread::CELL_BITS;
/// Most cells, and what the address where they end is a multiple of.
pub(super) const MAX_CELLS: usize = 1 << MAX_WIDTH;

/// What the free path reads: the address of the first cell, in cells, which are bytes. Zero: nothing is followed.
///
/// The cells end at a multiple of [`MAX_CELLS`], so [`Spread::cell`], or'ed with the address of the first of
/// 2ʷ, is the address of one of them, which its low `w` bits tell. One word says where the cells
/// are and how many, so that the free path never mixes two filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilterWord(pub(crate) usize);

impl FilterWord {
    /// Nothing is followed.
    pub(crate) const NONE: Self = Self(0);

    /// How many cells there are.
    pub(super) fn cells(self) -> usize {
        MAX_CELLS - self.0 % MAX_CELLS
    }

    /// Looks at the cell of `address`. If it is empty, no object there is a sampled one.
    ///
    /// # Safety
    ///
    /// The word is that of a [`Filter`](super::Filter), which may have been discarded since.
    #[inline(always)]
    pub(crate) unsafe fn look(self, address: usize) -> Look {
        // SAFETY: forwarded from the caller.
        if self == Self::NONE { Look::EMPTY } else { unsafe { self.cell(Spread::of(address)) }.look() }
    }

    /// The cell of an address.
    ///
    /// # Safety
    ///
    /// As for [`FilterWord::look`], and the word is not [`FilterWord::NONE`].
    #[inline(always)]
    pub(super) unsafe fn cell<'a>(self, spread: Spread) -> &'a Cell {
        let cell = std::ptr::with_exposed_provenance::<Cell>((self.0 | spread.cell()) * CELL);
        // SAFETY: not before the first cell, and before where they end; they are reserved.
        unsafe { &*cell }
    }
}

impl Look {
    /// Whether an object at `address`, whose cell this is a look at, may be a sampled one; false is certain.
    /// It takes longer than to see that the cell is empty, and excludes nearly all that are not.
    #[inline(always)]
    pub(crate) fn may_be_at(self, address: usize) -> bool {
        self.may_be(Spread::of(address).tag())
    }
}
