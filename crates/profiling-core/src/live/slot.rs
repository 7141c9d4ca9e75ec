//! One place of the live table, in the hands of who frees or resizes its object.

use super::{
    bucket::{Bucket, Entry},
    filter::Filter,
    growth::Widths,
    key::Key,
    spread::Spread,
};
use crate::sync::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The slot of an object, in the hands of the one thread that frees or resizes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    bucket: &'a Bucket,
    index: usize,
    address: usize,
}

impl<'a> Slot<'a> {
    pub(super) fn new(bucket: &'a Bucket, index: usize, address: usize) -> Self {
        Self { bucket, index, address }
    }

    /// Takes the entry out and gives the slot up; none if the entry was thinned out before.
    pub(super) fn remove(&self, filter: &Filter) -> Option<Entry> {
        let (entry, widths) = self.change(|_| Key::FREE)?;
        filter.remove(Spread::of(self.address), widths);
        Some(entry)
    }

    /// Hides the entry from look-ups and from thinning; it keeps its place. None as for
    /// [`Slot::remove`].
    pub(crate) fn take(&self) -> Option<Entry> {
        self.change(Key::taken).map(|(entry, _)| entry)
    }

    fn change(&self, to: impl Fn(Key) -> Key) -> Option<(Entry, Widths)> {
        let slot = &self.bucket.keys[self.index];
        loop {
            let key = Key(slot.load(Acquire));
            if !key.is_of(self.address) {
                return None;
            }
            let entry = self.bucket.entry(self.index, key);
            // Fails when the entry is thinned or carried over at this moment.
            if slot.compare_exchange(key.0, to(key).0, AcqRel, Relaxed).is_ok() {
                return Some(entry);
            }
        }
    }

    /// Undoes [`Slot::take`].
    pub(crate) fn put_back(&self) {
        let slot = &self.bucket.keys[self.index];
        let _ = slot.fetch_update(Release, Relaxed, |key| Some(Key(key).untaken().0));
    }

    /// Gives up a slot whose entry was taken.
    pub(super) fn release(&self, filter: &Filter) {
        let slot = &self.bucket.keys[self.index];
        // What it was counted for first does not change; up to where it is, until the slot is free.
        let (_, widths) = self.bucket.entry(self.index, Key::FREE);
        let key = Key(slot.swap(Key::FREE.0, AcqRel));
        filter.remove(Spread::of(self.address), Widths { to: key.width(), ..widths });
    }
}
