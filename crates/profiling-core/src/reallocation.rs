//! A `realloc` under way: the end of an object of the old size and a request of the new size.

use crate::{
    capture::Registers,
    live::{Entry, Slot},
    record::{Before, Granted},
    seat::Hold,
    thread::Thread,
};

/// A `realloc` that the session has to know of, from before the provider is called until after.
///
/// The old entry is taken out first, so that nobody who is given the old address meets it; it keeps its
/// slot, so that a failure can put it back. Counters change only at the end.
#[derive(Debug)]
pub(crate) struct Reallocation<'a> {
    hold: Hold<'a>,
    /// If the request was picked: how often the interval had doubled when its mark was drawn.
    picked: Option<u32>,
    old: Option<(Slot<'static>, Entry)>,
}

impl<'a> Reallocation<'a> {
    /// Of the object at `address`, which is followed if `old` is its slot.
    pub(crate) fn begin(hold: Hold<'a>, picked: Option<u32>, old: Option<Slot<'static>>) -> Self {
        let take = |slot: Slot<'static>| Some((slot, slot.take()?));
        Self { hold, picked, old: old.and_then(take) }
    }

    /// The session that counts it, and at how many doublings its mark was drawn, if the request was picked.
    #[cfg(all(test, shuttle))]
    pub(crate) fn request(&self) -> Option<(&Hold<'a>, u32)> {
        self.picked.map(|doublings| (&self.hold, doublings))
    }

    /// The provider answered null: nothing has happened.
    pub(crate) fn failed(self) {
        if let Some((old, _)) = self.old {
            old.put_back();
        }
    }

    /// The provider moved or resized the object, which is `size` bytes at `address` now. Answers the
    /// session, still held, and what [`Tables::record`](crate::tables::Tables::record) did.
    pub(crate) fn succeeded(
        self,
        thread: &Thread,
        address: usize,
        size: usize,
        frame: Registers,
    ) -> (Hold<'a>, bool) {
        let tables = self.hold.tables();
        let is_ahead = match (self.picked, self.old) {
            (Some(doublings), old) => {
                let before = old.map_or(Before::Unfollowed, |(slot, entry)| Before::Followed(slot, entry));
                tables.record(thread, Granted { address, size, doublings, frame }, before)
            }
            (None, old) => {
                old.into_iter().for_each(|(slot, entry)| tables.unfollow(slot, entry));
                false
            }
        };
        (self.hold, is_ahead)
    }
}
