//! One place for one sampled object, in buckets of eight.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
    fence,
};

use crate::{arena::Zeroed, sites::SiteId};

/// What the table knows about a sampled object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) site: SiteId,
    /// Requested bytes.
    pub(crate) size: usize,
    /// Nanoseconds since the session's start.
    pub(crate) birth: u64,
}

/// Slots of a bucket: as many keys as a cache line holds.
pub(crate) const SLOTS: usize = 8;

/// A key: the address, shifted by two, and two marks. Zero is a free slot.
const RESERVED: u64 = 1;
/// Set while a `realloc` is under way: look-ups pass over the entry, readers still see it.
const TAKEN: u64 = 2;

pub(crate) fn key_of(address: usize) -> u64 {
    (address as u64) << 2
}

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
    /// The slot that holds `key`, and is not taken.
    pub(crate) fn find(&self, key: u64) -> Option<Slot<'_>> {
        let index = self.keys.iter().position(|slot| slot.load(Acquire) == key)?;
        Some(Slot { bucket: self, index, key })
    }

    /// Puts an entry into a free slot, if there is one.
    pub(crate) fn insert(&self, key: u64, entry: Entry) -> bool {
        let claim = |slot: &AtomicU64| {
            slot.load(Relaxed) == 0 && slot.compare_exchange(0, RESERVED, AcqRel, Relaxed).is_ok()
        };
        let Some(index) = self.keys.iter().position(claim) else {
            return false;
        };
        let generation = self.sites[index].load(Relaxed) >> 32;
        let site = (generation.wrapping_add(1) << 32) | u64::from(entry.site.0);
        self.sites[index].store(site, Relaxed);
        // A reader that sees what follows sees the new generation as well.
        fence(Release);
        self.sizes[index].store(entry.size as u64, Relaxed);
        self.births[index].store(entry.birth, Relaxed);
        self.keys[index].store(key, Release);
        true
    }

    fn entry(&self, index: usize, site: u64) -> Entry {
        Entry {
            site: SiteId(site as u32),
            size: self.sizes[index].load(Relaxed) as usize,
            birth: self.births[index].load(Relaxed),
        }
    }

    /// The entries that are there now, read while others change them. One that changes under the
    /// reader's eyes is passed over: it is being freed or has just been made.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..SLOTS).filter_map(|index| {
            let key = self.keys[index].load(Acquire);
            if key == 0 || key & RESERVED != 0 {
                return None;
            }
            let site = self.sites[index].load(Relaxed);
            let entry = self.entry(index, site);
            fence(Acquire);
            let same = self.sites[index].load(Relaxed) == site
                && self.keys[index].load(Relaxed) & !TAKEN == key & !TAKEN;
            same.then_some(entry)
        })
    }
}

/// A slot that holds an entry, in the hands of the one thread that frees or resizes its object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot<'a> {
    bucket: &'a Bucket,
    index: usize,
    key: u64,
}

impl Slot<'_> {
    pub(crate) fn entry(&self) -> Entry {
        self.bucket.entry(self.index, self.bucket.sites[self.index].load(Relaxed))
    }

    /// Hides the entry from look-ups; it keeps its place.
    pub(crate) fn take(&self) {
        self.bucket.keys[self.index].store(self.key | TAKEN, Release);
    }

    /// Undoes [`Slot::take`].
    pub(crate) fn put_back(&self) {
        self.bucket.keys[self.index].store(self.key, Release);
    }

    /// Gives the slot up.
    pub(crate) fn release(&self) {
        self.bucket.keys[self.index].store(0, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(size: usize) -> Entry {
        Entry { site: SiteId(7), size, birth: 11 }
    }

    #[test]
    fn a_bucket_takes_eight() {
        let bucket = Bucket::default();
        assert!((0..8).all(|n| bucket.insert(key_of(n + 1), entry(n))));
        assert!(!bucket.insert(key_of(99), entry(99)));
        assert_eq!(bucket.entries().count(), 8);
        let slot = bucket.find(key_of(4)).unwrap();
        assert_eq!(slot.entry(), entry(3));
        slot.release();
        assert!(bucket.find(key_of(4)).is_none());
        assert!(bucket.insert(key_of(99), entry(99)));
    }

    #[test]
    fn a_taken_entry_is_seen_by_readers_only() {
        let bucket = Bucket::default();
        bucket.insert(key_of(4), entry(1));
        let slot = bucket.find(key_of(4)).unwrap();
        slot.take();
        assert!(bucket.find(key_of(4)).is_none());
        assert!(bucket.entries().eq([entry(1)]));
        // The address is handed out again before the old entry is settled.
        bucket.insert(key_of(4), entry(2));
        assert_eq!(bucket.find(key_of(4)).unwrap().entry(), entry(2));
        bucket.find(key_of(4)).unwrap().release();
        slot.put_back();
        assert_eq!(bucket.find(key_of(4)).unwrap().entry(), entry(1));
        slot.release();
        assert_eq!(bucket.entries().count(), 0);
    }

    #[test]
    fn a_reader_never_mixes_two_entries() {
        let bucket = Bucket::default();
        let entries = [(3, 5), (400, 600)].map(|(site, size)| Entry { site: SiteId(site), size, birth: 9 });
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 0..200_000 {
                    bucket.insert(key_of(64), entries[n % 2]);
                    bucket.find(key_of(64)).unwrap().release();
                }
            });
            while !writer.is_finished() {
                for seen in bucket.entries() {
                    assert!(entries.contains(&seen), "{seen:?}");
                }
            }
        });
    }
}
