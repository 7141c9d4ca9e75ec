//! The test on every free: may this address be a sampled one? [`docs/live-table.md`] says why it never misses one.
//!
//! A table of bytes, the cells; each counts the sampled objects whose cell it is. The free path reads one word, where
//! the cells begin, which tells their number too, and looks at one cell.
//!
//! The filter grows with the table behind it. The cells of a small filter are the last ones of a larger, so that half
//! of the objects keep theirs. While it grows, new objects are counted for both sizes, and insertions carry the
//! others over, a chunk each; when all are, the word is exchanged. Whoever reads the old word, and however late, is
//! right: what an object was counted for it stays counted for until it goes.
//!
//! [`docs/live-table.md`]: https://github.com/allometer/allometer/blob/main/docs/live-table.md

// unsafe: finds the cells through words, and gives their pages back.
#![allow(unsafe_code)]

use super::{
    cell::{CELL, Cell, Tag},
    growth::{Growth, Widths},
    spread::Spread,
    word::{FilterWord, MAX_CELLS, MAX_WIDTH},
};
use crate::{
    os::Reservation,
    sync::{
        self, AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
        sized,
    },
};

/// Cells for each sampled object at the bound: the filter grows to these.
const CELLS_AT_BOUND: usize = sized(32, 1);
/// Cells for each sampled object below which it grows. An object that was counted before a growth takes up to
/// one cell more after it, in a growing heap half a cell on average: so one cell in 26 is taken.
const CELLS_TO_GROW: usize = sized(40, 2);
/// Bits of an index at first.
const FIRST_WIDTH: u32 = sized(16, 1) as u32;

/// The filter of one session. Its addresses stay reserved for ever, because the free path reads them
/// without telling anybody; when the session ends, the pages go back and the addresses wait for the next.
#[derive(Debug)]
pub(crate) struct Filter {
    /// The word of all its cells, however many are used.
    all: FilterWord,
    /// The width that it grows to.
    last: u32,
    /// A [`Growth`].
    growth: AtomicU64,
}

impl Filter {
    /// No cells: nothing is followed.
    pub(crate) fn none() -> Self {
        Self { all: FilterWord::NONE, last: 0, growth: AtomicU64::new(Growth::rest(0).0) }
    }

    /// A filter, all zero, that can grow for `max_live_samples` objects: in the memory of an earlier
    /// session, which waits in `spare`, if that is large enough.
    pub(crate) fn new(max_live_samples: usize, spare: &AtomicUsize) -> Option<Self> {
        let last =
            (max_live_samples * CELLS_AT_BOUND).next_power_of_two().ilog2().clamp(FIRST_WIDTH, MAX_WIDTH);
        let waiting = FilterWord(spare.swap(0, AcqRel));
        let all = if waiting != FilterWord::NONE && waiting.cells() >= 1 << last {
            waiting
        } else {
            let memory = Reservation::up_to_multiple((1 << last) * CELL, MAX_CELLS * CELL)?;
            // They end where the memory does.
            let end = memory.base().as_ptr().wrapping_add(memory.bytes());
            let first = end.cast::<Cell>().wrapping_sub(1 << last);
            // SAFETY: room for so many, which stays; zeros are empty cells.
            unsafe { sync::make(first, 1 << last) };
            std::mem::forget(memory);
            FilterWord(first.expose_provenance() / CELL)
        };
        let growth = AtomicU64::new(Growth::rest(FIRST_WIDTH).0);
        Some(Self { all, last, growth })
    }

    pub(super) fn growth(&self) -> Growth {
        Growth(self.growth.load(Acquire))
    }

    /// What the free path reads at the start.
    pub(crate) fn word(&self) -> FilterWord {
        self.word_of(self.growth().width())
    }

    /// The word of so many cells that an index of one has `width` bits: the last ones.
    fn word_of(&self, width: u32) -> FilterWord {
        let all = self.all;
        if all == FilterWord::NONE { all } else { FilterWord((all.0 | (MAX_CELLS - 1)) + 1 - (1 << width)) }
    }

    /// Counts an object, once in each cell that it has at these widths.
    pub(super) fn add(&self, spread: Spread, widths: Widths) {
        self.each(spread, widths, Cell::add);
    }

    /// Takes back an [`Filter::add`], and what was added since by [`Filter::widen`].
    pub(super) fn remove(&self, spread: Spread, widths: Widths) {
        self.each(spread, widths, Cell::sub);
    }

    #[inline(always)]
    fn each(&self, spread: Spread, widths: Widths, change: impl Fn(&Cell, Tag)) {
        if self.all != FilterWord::NONE {
            change(self.cell(spread, widths.from), spread.tag());
            if widths.from != widths.to {
                (widths.from + 1..=widths.to).for_each(|width| self.further(spread, width, &change));
            }
        }
    }

    /// Counts an object, which is counted for the width below, for `width` too.
    pub(super) fn widen(&self, spread: Spread, width: u32) {
        self.further(spread, width, Cell::add);
    }

    /// Takes back a [`Filter::widen`].
    pub(super) fn narrow(&self, spread: Spread, width: u32) {
        self.further(spread, width, Cell::sub);
    }

    /// Changes the cell of an object at `width`, unless that is its cell at the width below too: the cells of
    /// a filter are the second half of those of the next larger one.
    #[cold]
    fn further(&self, spread: Spread, width: u32, change: impl Fn(&Cell, Tag)) {
        let is_another = spread.cell() >> (width - 1) & 1 == 0;
        if is_another && self.all != FilterWord::NONE {
            change(self.cell(spread, width), spread.tag());
        }
    }

    /// The cell of an object in a filter of `width`, as the free path finds it.
    fn cell(&self, spread: Spread, width: u32) -> &Cell {
        // SAFETY: not NONE, as the callers see to; the cells are those of `new`, and stay reserved.
        unsafe { self.word_of(width).cell(spread) }
    }

    /// Whether it has to grow for so many objects, or does so.
    pub(super) fn has_to_grow(&self, growth: Growth, objects: usize) -> bool {
        growth.grows() || (objects * CELLS_TO_GROW) >> growth.width() != 0
    }

    /// Starts to grow, if `growth` is at rest and the filter not at its largest.
    pub(super) fn start_to_grow(&self, growth: Growth) {
        if !growth.grows() && growth.width() < self.last {
            self.carried(growth, growth.started());
        }
    }

    /// Says that what `after` says is done, if nobody has since it was `before`.
    pub(super) fn carried(&self, before: Growth, after: Growth) {
        let _ = self.growth.compare_exchange(before.0, after.0, AcqRel, Relaxed);
    }

    /// Switches the free path, which reads `word`, to the new width, if all is carried over to it. Nothing
    /// happens where `word` is not that of this filter: its session has ended.
    pub(crate) fn switch(&self, word: &AtomicUsize) {
        let growth = self.growth();
        if growth.is_done() {
            let Widths { from, to } = growth.widths();
            let (old, new) = (self.word_of(from).0, self.word_of(to).0);
            // Released, and acquired by the free path: who reads the new word finds what was counted for it.
            let switched = word.compare_exchange(old, new, AcqRel, Acquire);
            if switched.is_ok() || switched == Err(new) {
                self.carried(growth, growth.switched());
            }
        }
    }

    /// Gives the pages back, and leaves the addresses in `spare`. Once, when nobody adds any more.
    pub(crate) fn discard(&self, spare: &AtomicUsize) {
        if self.all != FilterWord::NONE {
            let first = std::ptr::with_exposed_provenance_mut::<Cell>(self.all.0 * CELL);
            // SAFETY: the mapping that `new` made, and did not drop.
            unsafe { sync::discard(first, self.all.cells(), Cell::empty) };
            spare.store(self.all.0, Release);
        }
    }
}

#[cfg(test)]
impl Filter {
    /// Whether nothing is counted, in any cell.
    pub(super) fn is_empty(&self) -> bool {
        self.cells_that_are_not_empty() == 0
    }

    fn cells_that_are_not_empty(&self) -> usize {
        let first = self.word_of(self.last).0;
        // SAFETY: each of the cells.
        let cell = |address: &usize| unsafe { &*std::ptr::with_exposed_provenance::<Cell>(*address * CELL) };
        (first..first + (1 << self.last)).filter(|address| !cell(address).look().is_empty()).count()
    }

    /// The word of the largest that this one grows to.
    pub(super) fn word_at_last(&self) -> FilterWord {
        self.word_of(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(max_live_samples: usize) -> Filter {
        Filter::new(max_live_samples, &AtomicUsize::new(0)).unwrap()
    }

    fn may_hold(word: FilterWord, address: usize) -> bool {
        // SAFETY: the word of a filter, which is never unmapped.
        let look = unsafe { word.look(address) };
        assert!(!look.is_empty() || !look.may_be_at(address));
        look.may_be_at(address)
    }

    /// Where a heap may begin.
    const HEAP: usize = 0x7f00_0000_1000;
    const AT_16: Widths = Widths { from: 16, to: 16 };
    const FROM_16_TO_20: Widths = Widths { from: 16, to: 20 };

    #[test]
    fn what_was_added_is_found_until_it_is_removed() {
        let filter = filter(1000);
        let address = |n: usize| HEAP + n * 48;
        let word = filter.word();
        (0..1000).for_each(|n| filter.add(Spread::of(address(n)), AT_16));
        assert!((0..1000).all(|n| may_hold(word, address(n))));
        (0..1000).step_by(2).for_each(|n| filter.remove(Spread::of(address(n)), AT_16));
        assert!((0..1000).skip(1).step_by(2).all(|n| may_hold(word, address(n))));
        (0..1000).skip(1).step_by(2).for_each(|n| filter.remove(Spread::of(address(n)), AT_16));
        assert!((0..1000).all(|n| !may_hold(word, address(n))));
        assert!(!may_hold(FilterWord::NONE, address(0)));
        assert!(filter.is_empty());
    }

    #[test]
    fn an_object_is_found_at_each_width_that_it_is_counted_for() {
        let filter = filter(1 << 15);
        let mut cells = 0;
        for address in (1..100).map(|n| HEAP + n * 64) {
            let spread = Spread::of(address);
            filter.add(spread, FROM_16_TO_20);
            assert!((16..=20).all(|width| may_hold(filter.word_of(width), address)));
            cells += filter.cells_that_are_not_empty();
            filter.remove(spread, FROM_16_TO_20);
            // The same, step by step.
            filter.add(spread, AT_16);
            (17..=20).for_each(|width| filter.widen(spread, width));
            assert!((16..=20).all(|width| may_hold(filter.word_of(width), address)));
            filter.narrow(spread, 20);
            filter.remove(spread, Widths { from: 16, to: 19 });
        }
        assert!(filter.is_empty());
        // One, and one more at half of the four steps.
        assert!((270..330).contains(&cells), "{cells} cells");
    }

    #[test]
    fn the_free_path_is_switched_when_all_is_carried_over() {
        let filter = filter(1 << 18);
        let (ours, theirs) = (AtomicUsize::new(filter.word().0), AtomicUsize::new(0));
        filter.switch(&ours);
        assert_eq!(ours.load(Relaxed), filter.word().0);
        let has_to_grow = |objects| filter.has_to_grow(filter.growth(), objects);
        assert!(!has_to_grow(1638) && has_to_grow(1639));
        filter.start_to_grow(filter.growth());
        assert!(has_to_grow(0), "it grows");
        assert_eq!(filter.growth(), Growth::rest(16).started());
        filter.switch(&ours);
        assert_eq!(ours.load(Relaxed), filter.word_of(16).0, "not carried over");
        let growth = filter.growth();
        filter.carried(growth, growth.done());
        filter.carried(growth, growth.carried(8));
        filter.switch(&theirs);
        assert_eq!(theirs.load(Relaxed), 0, "the session has ended");
        assert_eq!(filter.word(), filter.word_of(16));
        filter.switch(&ours);
        assert_eq!((ours.load(Relaxed), filter.word()), (filter.word_of(17).0, filter.word_of(17)));
    }

    #[test]
    fn it_grows_for_the_bound_and_not_further() {
        for (bound, last) in [(1, 16), (2048, 16), (2049, 17), (1 << 18, 23), (1 << 24, 29)] {
            let filter = filter(bound);
            assert_eq!(filter.last, last);
            filter.start_to_grow(Growth::rest(last));
            assert_eq!(filter.growth(), Growth::rest(16));
            assert_eq!(filter.word_of(last), filter.all);
            assert_eq!(filter.all.cells(), 1 << last);
        }
    }

    #[test]
    fn memory_serves_the_next_session_if_it_is_large_enough() {
        let spare = AtomicUsize::new(0);
        let first = Filter::new(10_000, &spare).unwrap();
        first.add(Spread::of(HEAP), Widths { from: 16, to: 19 });
        first.discard(&spare);
        let smaller = Filter::new(100, &spare).unwrap();
        assert_eq!((smaller.word(), smaller.last), (first.word(), 16));
        assert!(!may_hold(smaller.word(), HEAP), "it is empty again");
        smaller.discard(&spare);
        assert_eq!(Filter::new(10_000, &spare).unwrap().word(), first.word());
        first.discard(&spare);
        assert_ne!(Filter::new(100_000, &spare).unwrap().word(), first.word());
    }
}
