//! One place for one sampled object, in buckets of eight.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
    fence,
};

use super::key::Key;
use crate::{arena::Zeroed, sites::SiteId};

/// What the table knows about a sampled object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) site: SiteId,
    /// Requested bytes.
    pub(crate) size: usize,
    /// Nanoseconds since the session's start.
    pub(crate) birth: u64,
    /// How often the session's interval had doubled when the sample was drawn, or last thinned.
    pub(crate) doublings: u32,
}

/// Slots of a bucket: as many keys as a cache line holds.
pub(crate) const SLOTS: usize = 8;

/// Eight slots: their keys on one cache line, their entries on the three behind it.
#[repr(C, align(64))]
#[derive(Default, Debug)]
pub(crate) struct Bucket {
    keys: [AtomicU64; SLOTS],
    /// The site in the low half; in the high half a number that each new entry of the slot increments.
    sites: [AtomicU64; SLOTS],
    sizes: [AtomicU64; SLOTS],
    births: [AtomicU64; SLOTS],
}

// SAFETY: a struct of atomics whose zero is an empty bucket.
#[allow(unsafe_code)]
unsafe impl Zeroed for Bucket {}

impl Bucket {
    /// The slot of the object at `address`, unless it is taken.
    pub(crate) fn find(&self, address: usize) -> Option<Slot<'_>> {
        let holds = |slot: &AtomicU64| Key(slot.load(Acquire)).is_of(address);
        let index = self.keys.iter().position(holds)?;
        Some(Slot { bucket: self, index, address })
    }

    /// Slots that are not free.
    pub(crate) fn held(&self) -> usize {
        self.keys.iter().filter(|slot| slot.load(Relaxed) != Key::FREE.0).count()
    }

    /// Puts an entry into a free slot, if there is one.
    pub(crate) fn insert(&self, address: usize, entry: Entry) -> bool {
        let claim = |slot: &AtomicU64| {
            slot.load(Relaxed) == Key::FREE.0
                && slot.compare_exchange(Key::FREE.0, Key::RESERVED.0, AcqRel, Relaxed).is_ok()
        };
        let Some(index) = self.keys.iter().position(claim) else {
            return false;
        };
        let generation = (self.sites[index].load(Relaxed) >> 32).wrapping_add(1);
        self.sites[index].store((generation << 32) | u64::from(entry.site.0), Relaxed);
        // A reader that sees what follows sees the new generation as well.
        fence(Release);
        self.sizes[index].store(entry.size as u64, Relaxed);
        self.births[index].store(entry.birth, Relaxed);
        self.keys[index].store(Key::new(address, generation, entry.doublings).0, Release);
        true
    }

    fn entry(&self, index: usize, key: Key) -> Entry {
        Entry {
            site: SiteId(self.sites[index].load(Relaxed) as u32),
            size: self.sizes[index].load(Relaxed) as usize,
            birth: self.births[index].load(Relaxed),
            doublings: key.doublings(),
        }
    }

    /// The entry of a slot that others may change meanwhile, with its key; none if one does.
    fn read(&self, index: usize) -> Option<(Key, Entry)> {
        let key = Key(self.keys[index].load(Acquire));
        if !key.is_entry() {
            return None;
        }
        let site = self.sites[index].load(Relaxed);
        let entry = self.entry(index, key);
        fence(Acquire);
        let same =
            self.sites[index].load(Relaxed) == site && Key(self.keys[index].load(Relaxed)).is_same_entry(key);
        same.then_some((key, entry))
    }

    /// The entries that are there now. One that changes under the reader's eyes is passed over: it is
    /// being freed or has just been made.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..SLOTS).filter_map(|index| self.read(index)).map(|(_, entry)| entry)
    }

    /// Brings every entry to `doublings`: one that `keeps` says no to leaves the table. `thinned` is
    /// told the entry as it was, its address, and whether it was kept.
    ///
    /// An entry that its owner frees or resizes meanwhile is the owner's.
    pub(crate) fn thin(
        &self,
        doublings: u32,
        mut keeps: impl FnMut(Entry) -> bool,
        mut thinned: impl FnMut(Entry, usize, bool),
    ) {
        for index in 0..SLOTS {
            let Some((key, entry)) = self.read(index) else { continue };
            if key.is_taken() || entry.doublings >= doublings {
                continue;
            }
            let kept = keeps(entry);
            let new = if kept { key.with_doublings(doublings) } else { Key::FREE };
            // The key holds part of the slot's generation, so that an entry which was replaced by
            // another for the same address since it was read is not taken for it.
            if self.keys[index].compare_exchange(key.0, new.0, AcqRel, Relaxed).is_ok() {
                thinned(entry, key.address(), kept);
            }
        }
    }
}

/// The slot of an object, in the hands of the one thread that frees or resizes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    bucket: &'a Bucket,
    index: usize,
    address: usize,
}

impl Slot<'_> {
    pub(crate) fn address(&self) -> usize {
        self.address
    }

    /// Takes the entry out and gives the slot up; none if the entry was thinned out before.
    pub(crate) fn remove(&self) -> Option<Entry> {
        self.change(|_| Key::FREE)
    }

    /// Hides the entry from look-ups and from thinning; it keeps its place. None as for
    /// [`Slot::remove`].
    pub(crate) fn take(&self) -> Option<Entry> {
        self.change(Key::taken)
    }

    fn change(&self, to: impl Fn(Key) -> Key) -> Option<Entry> {
        let slot = &self.bucket.keys[self.index];
        loop {
            let key = Key(slot.load(Acquire));
            if !key.is_of(self.address) {
                return None;
            }
            let entry = self.bucket.entry(self.index, key);
            // Fails when the entry is thinned at this moment.
            if slot.compare_exchange(key.0, to(key).0, AcqRel, Relaxed).is_ok() {
                return Some(entry);
            }
        }
    }

    /// Undoes [`Slot::take`].
    pub(crate) fn put_back(&self) {
        let slot = &self.bucket.keys[self.index];
        slot.store(Key(slot.load(Relaxed)).untaken().0, Release);
    }

    /// Gives up a slot whose entry was taken.
    pub(crate) fn release(&self) {
        self.bucket.keys[self.index].store(Key::FREE.0, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(size: usize) -> Entry {
        Entry { site: SiteId(7), size, birth: 11, doublings: 0 }
    }

    #[test]
    fn a_bucket_takes_eight() {
        let bucket = Bucket::default();
        assert!((0..8).all(|n| bucket.insert(n + 1, entry(n))));
        assert!(!bucket.insert(99, entry(99)));
        assert_eq!(bucket.entries().count(), 8);
        assert_eq!(bucket.find(4).unwrap().remove(), Some(entry(3)));
        assert!(bucket.find(4).is_none());
        assert!(bucket.insert(99, entry(99)));
    }

    #[test]
    fn a_taken_entry_is_seen_by_readers_only() {
        let bucket = Bucket::default();
        bucket.insert(4, entry(1));
        let slot = bucket.find(4).unwrap();
        assert_eq!(slot.take(), Some(entry(1)));
        assert!(bucket.find(4).is_none());
        assert!(bucket.entries().eq([entry(1)]));
        bucket.thin(1, |_| false, |_, _, _| panic!("a taken entry is its owner's"));
        // The address is handed out again before the old entry is settled.
        bucket.insert(4, entry(2));
        assert_eq!(bucket.find(4).unwrap().remove(), Some(entry(2)));
        slot.put_back();
        assert_eq!(bucket.find(4).unwrap().take(), Some(entry(1)));
        slot.release();
        assert_eq!(bucket.entries().count(), 0);
    }

    #[test]
    fn thinning_keeps_what_it_is_told_to() {
        let bucket = Bucket::default();
        (1..=8).for_each(|n| assert!(bucket.insert(n, entry(n))));
        let owned = bucket.find(3).unwrap();
        let mut seen = Vec::new();
        bucket.thin(
            2,
            |entry| entry.size % 2 == 0,
            |entry, address, kept| seen.push((entry.size, address, kept)),
        );
        assert!(seen.iter().all(|(size, address, kept)| size == address && *kept == (size % 2 == 0)));
        assert_eq!(seen.len(), 8);
        assert!(bucket.entries().all(|entry| entry.doublings == 2 && entry.size % 2 == 0));
        assert_eq!(owned.remove(), None, "thinned out under its owner's hands");
        assert_eq!(bucket.find(4).unwrap().remove(), Some(Entry { doublings: 2, ..entry(4) }));
        bucket.thin(2, |_| false, |_, _, _| panic!("thinned already"));
    }

    #[test]
    fn a_reader_never_mixes_two_entries() {
        let bucket = Bucket::default();
        let entries = [(3, 5), (400, 600)].map(|(site, size)| Entry { site: SiteId(site), ..entry(size) });
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 0..200_000 {
                    bucket.insert(64, entries[n % 2]);
                    bucket.find(64).unwrap().remove();
                }
            });
            while !writer.is_finished() {
                for seen in bucket.entries() {
                    assert!(entries.contains(&seen), "{seen:?}");
                }
            }
        });
    }

    #[test]
    fn an_entry_goes_to_its_owner_or_to_thinning() {
        let bucket = Bucket::default();
        let (mut freed, mut dropped) = (0, 0);
        std::thread::scope(|scope| {
            let owner = scope.spawn(|| {
                let mut freed = 0;
                for n in 0..100_000 {
                    bucket.insert(64, entry(n));
                    match bucket.find(64).and_then(|slot| slot.remove()) {
                        Some(seen) => {
                            assert_eq!(seen.size, n);
                            freed += 1;
                        }
                        None => assert!(bucket.find(64).is_none()),
                    }
                }
                freed
            });
            while !owner.is_finished() {
                bucket.thin(1, |_| false, |_, _, _| dropped += 1);
            }
            freed += owner.join().unwrap();
        });
        assert_eq!(freed + dropped, 100_000);
    }
}
