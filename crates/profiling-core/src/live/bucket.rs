//! Eight places for sampled objects, next to each other.

use super::{filter::Filter, growth::Widths, hints::Hints, key::Key, slot::Slot, spread::Spread};
use crate::{
    arena::Zeroed,
    sites::SiteId,
    sync::{
        AtomicU16, AtomicU32, AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
        fence, sized,
    },
};

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
pub(super) const SLOTS: usize = sized(8, 2);

/// Eight slots: their keys on one cache line, what is known of their entries on the three behind it.
#[repr(C, align(64))]
#[derive(Default, Debug)]
pub(super) struct Bucket {
    pub(super) keys: [AtomicU64; SLOTS],
    hints: Hints,
    /// A number that each new entry of the slot increments.
    generations: [AtomicU16; SLOTS],
    sites: [AtomicU32; SLOTS],
    /// The size, and in the upper eight bits the first width of the filter that the entry is counted for.
    sizes: [AtomicU64; SLOTS],
    births: [AtomicU64; SLOTS],
}

// SAFETY: a struct of atomics whose zero is an empty bucket.
#[allow(unsafe_code)]
unsafe impl Zeroed for Bucket {}

/// Bits of a size.
const SIZE: u32 = 56;

/// Whether a slot has room for a size. It has, for every size that memory has.
pub(super) fn fits(size: usize) -> bool {
    size as u64 >> SIZE == 0
}

impl Bucket {
    /// The slot of the object at `address`, unless it is taken.
    #[inline(always)]
    pub(super) fn find(&self, address: usize) -> Option<Slot<'_>> {
        let holds = |index: usize| Key(self.keys[index].load(Acquire)).is_of(address);
        Some(Slot::new(self, self.hints.find(Spread::of(address).hint(), holds)?, address))
    }

    /// The first slot that is free, or how many there are.
    ///
    /// Entries go into the first one, so this tells how full a bucket is as well, or nearly.
    pub(super) fn first_free(&self) -> usize {
        let is_free = |slot: &AtomicU64| slot.load(Relaxed) == Key::FREE.0;
        self.keys.iter().position(is_free).unwrap_or(SLOTS)
    }

    /// Claims slot `index`, if it is still free.
    pub(super) fn claim(&self, index: usize) -> bool {
        self.keys[index].compare_exchange(Key::FREE.0, Key::RESERVED.0, AcqRel, Relaxed).is_ok()
    }

    /// Puts an entry into slot `index`, which the caller has claimed, and counts it in the filter at `widths`.
    #[inline(always)]
    pub(super) fn put(&self, index: usize, address: usize, entry: Entry, filter: &Filter, widths: Widths) {
        let spread = Spread::of(address);
        let generation = self.generations[index].load(Relaxed).wrapping_add(1);
        self.generations[index].store(generation, Relaxed);
        // A reader that sees what follows sees the new generation as well.
        fence(Release);
        self.hints.set(index, spread.hint());
        self.sites[index].store(entry.site.0, Relaxed);
        self.sizes[index].store(entry.size as u64 | u64::from(widths.from) << SIZE, Relaxed);
        self.births[index].store(entry.birth, Relaxed);
        // Before thinning can find it, and take it back.
        filter.add(spread, widths);
        let key = Key::new(address, generation, widths.to, entry.doublings);
        self.keys[index].store(key.0, Release);
    }

    /// The entry of a slot, and what it is counted for, as long as its key is `key`.
    pub(super) fn entry(&self, index: usize, key: Key) -> (Entry, Widths) {
        let size = self.sizes[index].load(Relaxed);
        let entry = Entry {
            site: SiteId(self.sites[index].load(Relaxed)),
            size: (size & ((1 << SIZE) - 1)) as usize,
            birth: self.births[index].load(Relaxed),
            doublings: key.doublings(),
        };
        (entry, Widths { from: (size >> SIZE) as u32, to: key.width() })
    }

    /// The entry of a slot that others may change meanwhile, with its key and what it is counted for; none
    /// if one does.
    fn read(&self, index: usize) -> Option<(Key, Entry, Widths)> {
        let key = Key(self.keys[index].load(Acquire));
        if !key.is_entry() {
            return None;
        }
        let generation = self.generations[index].load(Relaxed);
        let (entry, widths) = self.entry(index, key);
        fence(Acquire);
        let is_same = self.generations[index].load(Relaxed) == generation
            && Key(self.keys[index].load(Relaxed)).is_same_entry(key);
        is_same.then_some((key, entry, widths))
    }

    /// The entries that are there now. One that changes under the reader's eyes is passed over: it is
    /// being freed or has just been made.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..SLOTS).filter_map(|index| self.read(index)).map(|(_, entry, _)| entry)
    }

    /// Brings every entry to `doublings`: one that `keeps` says no to leaves the table. `thinned` is
    /// told the entry as it was, its address, and whether it was kept.
    ///
    /// An entry that its owner frees or resizes meanwhile is the owner's.
    pub(super) fn thin(
        &self,
        doublings: u32,
        filter: &Filter,
        mut keeps: impl FnMut(Entry) -> bool,
        mut thinned: impl FnMut(Entry, bool),
    ) {
        for index in 0..SLOTS {
            while let Some((key, entry, widths)) = self.read(index) {
                if key.is_taken() || entry.doublings >= doublings {
                    break;
                }
                let kept = keeps(entry);
                let new = if kept { key.with_doublings(doublings) } else { Key::FREE };
                // The key holds part of the slot's generation, so that an entry which was replaced by
                // another for the same address since it was read is not taken for it. It fails as well
                // where the entry is carried over at this moment; then once more.
                if self.keys[index].compare_exchange(key.0, new.0, AcqRel, Relaxed).is_ok() {
                    if !kept {
                        filter.remove(Spread::of(key.address()), widths);
                    }
                    thinned(entry, kept);
                    break;
                }
            }
        }
    }

    /// Counts what the bucket holds for `width` too.
    #[cold]
    pub(super) fn carry_over(&self, filter: &Filter, width: u32) {
        (0..SLOTS).for_each(|index| self.carry_over_one(index, filter, width));
    }

    /// Counts the entry of one slot, if there is one, for each width up to `width`.
    ///
    /// Counted first, and said then; whoever finds that another was faster, or that the entry is gone, takes
    /// back what it counted itself. So any number of threads can carry over the same entry.
    #[cold]
    pub(super) fn carry_over_one(&self, index: usize, filter: &Filter, width: u32) {
        let slot = &self.keys[index];
        let mut key = Key(slot.load(Acquire));
        while key.is_entry() && key.width() < width {
            let (spread, next) = (Spread::of(key.address()), key.width() + 1);
            filter.widen(spread, next);
            let wider = key.with_width(next);
            key = match slot.compare_exchange(key.0, wider.0, AcqRel, Acquire) {
                Ok(_) => wider,
                Err(now) => {
                    filter.narrow(spread, next);
                    Key(now)
                }
            };
        }
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::AtomicUsize;

    fn entry(size: usize) -> Entry {
        Entry { site: SiteId(7), size, birth: 11, doublings: 0 }
    }

    fn filter() -> Filter {
        Filter::new(1 << 14, &AtomicUsize::new(0)).unwrap()
    }

    /// The address of an object.
    fn at(n: usize) -> usize {
        0x7f00_0000_1000 + n * 64
    }

    fn insert(bucket: &Bucket, address: usize, entry: Entry, filter: &Filter) -> bool {
        let index = bucket.first_free();
        let claimed = index < SLOTS && bucket.claim(index);
        if claimed {
            bucket.put(index, address, entry, filter, filter.growth().widths());
        }
        claimed
    }

    #[test]
    fn a_bucket_takes_eight() {
        let (bucket, filter) = (Bucket::default(), filter());
        assert!((0..8).all(|n| bucket.first_free() == n && insert(&bucket, at(n), entry(n), &filter)));
        assert!(!insert(&bucket, at(99), entry(99), &filter));
        assert_eq!(bucket.entries().count(), 8);
        assert_eq!(bucket.find(at(3)).unwrap().remove(&filter), Some(entry(3)));
        assert!(bucket.find(at(3)).is_none());
        assert!(bucket.first_free() == 3 && insert(&bucket, at(99), entry(99), &filter));
    }

    #[test]
    fn sizes_are_kept_whole() {
        let (bucket, filter) = (Bucket::default(), filter());
        let largest = (1 << SIZE) - 1;
        assert!(fits(largest) && !fits(largest + 1));
        insert(&bucket, at(4), entry(largest), &filter);
        assert!(bucket.entries().eq([entry(largest)]));
    }

    #[test]
    fn a_taken_entry_is_seen_by_readers_only() {
        let (bucket, filter) = (Bucket::default(), filter());
        insert(&bucket, at(4), entry(1), &filter);
        let slot = bucket.find(at(4)).unwrap();
        assert_eq!(slot.take(), Some(entry(1)));
        assert!(bucket.find(at(4)).is_none());
        assert!(bucket.entries().eq([entry(1)]));
        bucket.thin(1, &filter, |_| false, |_, _| panic!("a taken entry is its owner's"));
        // The address is handed out again before the old entry is settled.
        insert(&bucket, at(4), entry(2), &filter);
        assert_eq!(bucket.find(at(4)).unwrap().remove(&filter), Some(entry(2)));
        slot.put_back();
        assert_eq!(bucket.find(at(4)).unwrap().take(), Some(entry(1)));
        slot.release(&filter);
        assert_eq!(bucket.entries().count(), 0);
        assert!(filter.is_empty());
    }

    #[test]
    fn a_taken_entry_is_carried_over() {
        let (bucket, filter) = (Bucket::default(), filter());
        (0..8).for_each(|n| assert!(insert(&bucket, at(n), entry(n), &filter)));
        let slots = [0, 1, 2, 3, 4, 5].map(|n| bucket.find(at(n)).unwrap());
        slots.iter().for_each(|slot| assert!(slot.take().is_some()));
        bucket.carry_over(&filter, 19);
        slots[..3].iter().for_each(Slot::put_back);
        assert!(bucket.keys.iter().all(|key| Key(key.load(Relaxed)).width() == 19));
        slots[3..].iter().for_each(|slot| slot.release(&filter));
        assert!((0..3).chain(6..8).all(|n| bucket.find(at(n)).unwrap().remove(&filter) == Some(entry(n))));
        assert!(filter.is_empty());
    }

    #[test]
    fn thinning_keeps_what_it_is_told_to() {
        let (bucket, filter) = (Bucket::default(), filter());
        (1..=8).for_each(|n| assert!(insert(&bucket, at(n), entry(n), &filter)));
        let owned = bucket.find(at(3)).unwrap();
        let mut seen = Vec::new();
        bucket.thin(2, &filter, |entry| entry.size % 2 == 0, |entry, kept| seen.push((entry.size, kept)));
        assert!(seen.iter().all(|(size, kept)| *kept == (size % 2 == 0)));
        assert_eq!(seen.len(), 8);
        assert!(bucket.entries().all(|entry| entry.doublings == 2 && entry.size % 2 == 0));
        assert_eq!(owned.remove(&filter), None, "thinned out under its owner's hands");
        assert_eq!(bucket.find(at(4)).unwrap().remove(&filter), Some(Entry { doublings: 2, ..entry(4) }));
        bucket.thin(2, &filter, |_| false, |_, _| panic!("thinned already"));
        assert!([2, 6, 8].iter().all(|n| bucket.find(at(*n)).unwrap().remove(&filter).is_some()));
        assert!(filter.is_empty());
    }

    #[test]
    fn a_reader_never_mixes_two_entries() {
        let (bucket, filter) = (Bucket::default(), filter());
        let entries = [(3, 5), (400, 600)].map(|(site, size)| Entry { site: SiteId(site), ..entry(size) });
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 0..200_000 {
                    insert(&bucket, at(4), entries[n % 2], &filter);
                    bucket.find(at(4)).unwrap().remove(&filter);
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
    fn an_entry_goes_to_its_owner_or_to_thinning_while_it_is_carried_over() {
        let (bucket, filter) = (Bucket::default(), filter());
        let (mut freed, mut dropped) = (0, 0);
        std::thread::scope(|scope| {
            let owner = scope.spawn(|| {
                let mut freed = 0;
                for n in 0..100_000 {
                    // An address with a new cell at the next width, and one without.
                    let address = at(n % 2);
                    insert(&bucket, address, entry(n), &filter);
                    match bucket.find(address).and_then(|slot| slot.remove(&filter)) {
                        Some(seen) => {
                            assert_eq!(seen.size, n);
                            freed += 1;
                        }
                        None => assert!(bucket.find(address).is_none()),
                    }
                }
                freed
            });
            let carrying = scope.spawn(|| {
                while !owner.is_finished() {
                    bucket.carry_over(&filter, 19);
                }
                owner.join().unwrap()
            });
            while !carrying.is_finished() {
                bucket.thin(1, &filter, |_| false, |_, _| dropped += 1);
            }
            freed += carrying.join().unwrap();
        });
        assert_eq!(freed + dropped, 100_000);
        assert!(filter.is_empty(), "what was counted was taken back");
    }
}
