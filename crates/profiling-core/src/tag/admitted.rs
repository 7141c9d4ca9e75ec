//! The tags that a session tells apart: the first ones that it meets, up to its bound.

// unsafe: takes its memory from the arena.
#![allow(unsafe_code)]

use super::{Tag, names::NAMES};
use crate::{
    arena::{Layout, Place},
    os::Reservation,
    sync::{AtomicU16, AtomicU32, Ordering::Relaxed},
};

/// Numbers of tags, with zero and that of [`Tag::OTHERS`].
const NUMBERS: usize = NAMES + 2;

/// Where the table's parts are in the arena.
pub(crate) struct AdmittedPlace {
    counted_as: Place<AtomicU16>,
    first: Place<AtomicU16>,
}

impl AdmittedPlace {
    pub(crate) fn new(layout: &mut Layout, max_tags: usize) -> Self {
        Self { counted_as: layout.place(NUMBERS), first: layout.place(max_tags) }
    }

    /// The table in `arena`.
    ///
    /// # Safety
    ///
    /// The arena lives for `'a`; the place was made with its layout and is used once.
    pub(crate) unsafe fn table<'a>(&self, arena: &Reservation) -> Admitted<'a> {
        // SAFETY: forwarded from the caller.
        let (counted_as, first) = unsafe { (arena.slice(&self.counted_as), arena.slice(&self.first)) };
        Admitted { counted_as, first, refused: AtomicU32::new(0) }
    }
}

/// The tags of one session.
#[derive(Debug)]
pub(crate) struct Admitted<'a> {
    /// By a tag's number, that of the tag that it is counted as; zero until it is known.
    counted_as: &'a [AtomicU16],
    /// The tags that were first, in any order; zeros behind them.
    first: &'a [AtomicU16],
    /// Tags that came later.
    refused: AtomicU32,
}

impl Admitted<'_> {
    /// What a request is counted under whose thread holds this tag.
    #[inline(always)]
    pub(crate) fn of(&self, tag: Option<Tag>) -> Option<Tag> {
        self.known(tag?)
    }

    #[inline(never)]
    fn known(&self, tag: Tag) -> Option<Tag> {
        let known = self.counted_as.get(usize::from(tag.number()))?;
        Tag::of_number(known.load(Relaxed)).or_else(|| self.admit(tag, known))
    }

    /// A tag that this session has not met.
    #[cold]
    fn admit(&self, tag: Tag, known: &AtomicU16) -> Option<Tag> {
        if self.first.is_empty() {
            return None;
        }
        // Two threads with the same tag look at the same places in the same order, so they meet at one.
        let is_there = |place: &AtomicU16| match place.load(Relaxed) {
            0 => {
                let taken = place.compare_exchange(0, tag.number(), Relaxed, Relaxed);
                taken.map_or_else(|other| other == tag.number(), |_| true)
            }
            other => other == tag.number(),
        };
        let is_admitted = tag != Tag::OTHERS && self.first.iter().any(is_there);
        let counted_as = if is_admitted { tag } else { Tag::OTHERS };
        let is_new = known.compare_exchange(0, counted_as.number(), Relaxed, Relaxed).is_ok();
        if is_new && !is_admitted {
            self.refused.fetch_add(1, Relaxed);
        }
        Some(counted_as)
    }

    /// How many tags are told apart.
    pub(crate) fn len(&self) -> usize {
        self.first.iter().take_while(|place| place.load(Relaxed) != 0).count()
    }

    /// How many came when the bound was reached.
    pub(crate) fn refused(&self) -> u32 {
        self.refused.load(Relaxed)
    }

    /// How many can be told apart.
    pub(crate) fn max(&self) -> usize {
        self.first.len()
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    /// A table of its own, in memory that is never given back.
    fn table(max_tags: usize) -> Admitted<'static> {
        let mut layout = Layout::default();
        let place = AdmittedPlace::new(&mut layout, max_tags);
        let arena = Reservation::new(layout.bytes()).unwrap();
        // SAFETY: the arena is forgotten below, so it lives forever; the place is used once.
        let table = unsafe { place.table(&arena) };
        std::mem::forget(arena);
        table
    }

    fn tag(number: u16) -> Option<Tag> {
        Tag::of_number(number)
    }

    #[test]
    fn the_first_ones_are_told_apart() {
        let tags = table(3);
        assert_eq!(tags.of(None), None);
        for _ in 0..2 {
            for number in [9, 5, 7] {
                assert_eq!(tags.of(tag(number)), tag(number));
            }
            for number in [2, 3, 1, 4097] {
                assert_eq!(tags.of(tag(number)), Some(Tag::OTHERS), "{number}");
            }
        }
        assert_eq!((tags.len(), tags.refused(), tags.max()), (3, 4, 3));
    }

    #[test]
    fn the_tag_for_others_takes_no_place() {
        let tags = table(1);
        assert_eq!(tags.of(Some(Tag::OTHERS)), Some(Tag::OTHERS));
        assert_eq!(tags.of(tag(2)), tag(2));
    }

    #[test]
    fn without_places_there_are_no_tags() {
        let tags = table(0);
        assert_eq!((tags.of(tag(2)), tags.of(Some(Tag::OTHERS))), (None, None));
        assert_eq!((tags.len(), tags.refused()), (0, 0));
    }

    #[test]
    fn threads_agree_on_who_was_first() {
        let tags = table(50);
        let counted: Vec<Vec<Option<Tag>>> = thread::scope(|scope| {
            let work = || (2..102).map(|number| tags.of(tag(number))).collect();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(counted.iter().all(|other| *other == counted[0]));
        assert_eq!((tags.len(), tags.refused()), (50, 50));
    }
}
