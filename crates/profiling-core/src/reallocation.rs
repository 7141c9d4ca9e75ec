//! A `realloc` under way: the end of an object of the old size and a request of the new size.

use crate::{
    live::Slot,
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
    is_picked: bool,
    address: usize,
    old: Option<Slot<'static>>,
}

impl<'a> Reallocation<'a> {
    pub(crate) fn begin(hold: Hold<'a>, is_picked: bool, address: usize, old: Option<Slot<'static>>) -> Self {
        if let Some(old) = old {
            old.take();
        }
        Self { hold, is_picked, address, old }
    }

    /// The provider answered null: nothing has happened.
    pub(crate) fn failed(self) {
        if let Some(old) = self.old {
            old.put_back();
        }
    }

    /// The provider moved or resized the object.
    pub(crate) fn succeeded(self, thread: &Thread, granted: Granted) {
        let tables = self.hold.tables();
        let entry = self.old.map(|old| old.entry());
        if self.is_picked {
            let before = self.old.map_or(Before::Unfollowed, Before::Followed);
            tables.record(thread, granted, before);
        } else if let Some(old) = self.old {
            tables.live.release(old);
        }
        if let Some(entry) = entry {
            tables.forget(self.address, entry);
        }
    }
}
