//! The table of live samples: levels of buckets, each four times the size of the one before.

use std::sync::atomic::{
    AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};

use super::slot::{Bucket, Entry, SLOTS, Slot, key_of};
use crate::arena::{Layout, Place};
use crate::os::Reservation;

/// Buckets of the first level: 1 024 slots in 32 KiB.
const FIRST_LEVEL: usize = 128;
const GROWTH: usize = 4;
/// Most levels that a table can have: 128 · (4¹⁰ - 1) / 3 buckets are beyond any bound.
const MAX_LEVELS: usize = 10;

/// Where each level starts; `ends[n]` is where level `n` ends.
#[derive(Clone, Copy, Debug)]
struct Levels {
    ends: [usize; MAX_LEVELS],
    count: usize,
}

impl Levels {
    /// Levels with half as many slots again as `bound`: two buckets of eight are then never both full
    /// in practice, and if they are, the sample is counted as not followed.
    fn new(bound: usize) -> Self {
        let total = (bound + bound / 2).div_ceil(SLOTS).max(FIRST_LEVEL);
        let mut levels = Self { ends: [0; MAX_LEVELS], count: 0 };
        let (mut end, mut size) = (0, FIRST_LEVEL);
        while end < total && levels.count < MAX_LEVELS {
            end = (end + size).min(total);
            levels.ends[levels.count] = end;
            levels.count += 1;
            size *= GROWTH;
        }
        levels
    }

    fn buckets(&self) -> usize {
        self.ends[self.count - 1]
    }

    /// The two buckets of level `level` that may hold `key`.
    fn choices(&self, level: usize, key: u64) -> [usize; 2] {
        let start = if level == 0 { 0 } else { self.ends[level - 1] };
        let buckets = (self.ends[level] - start) as u64;
        let hash = (key ^ (key >> 14)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = hash ^ (hash >> 29);
        // Each half of the hash, as a fraction of the level.
        [hash >> 32, hash & 0xffff_ffff].map(|half| start + ((half * buckets) >> 32) as usize)
    }
}

/// Where the table's buckets are in the arena.
pub(crate) struct LivePlace {
    buckets: Place<Bucket>,
    levels: Levels,
    bound: usize,
}

impl LivePlace {
    pub(crate) fn new(layout: &mut Layout, max_live_samples: usize) -> Self {
        let levels = Levels::new(max_live_samples);
        Self { buckets: layout.place(levels.buckets()), levels, bound: max_live_samples }
    }

    /// The table in `arena`.
    ///
    /// # Safety
    ///
    /// The arena lives for `'a`; the place was made with its layout and is used once.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn table<'a>(&self, arena: &Reservation) -> Live<'a> {
        // SAFETY: forwarded from the caller.
        let buckets = unsafe { arena.slice(&self.buckets) };
        Live {
            buckets,
            levels: self.levels,
            bound: self.bound,
            open: AtomicUsize::new(1),
            held: AtomicUsize::new(0),
        }
    }
}

/// The sampled objects that are not freed yet.
#[derive(Debug)]
pub(crate) struct Live<'a> {
    buckets: &'a [Bucket],
    levels: Levels,
    /// Most entries.
    bound: usize,
    /// Levels in use.
    open: AtomicUsize,
    /// Entries, those that are just being made or given up included.
    held: AtomicUsize,
}

impl<'a> Live<'a> {
    /// Adds the object at `address`, which is not in the table. Answers whether there was room.
    pub(crate) fn insert(&self, address: usize, entry: Entry) -> bool {
        if self.held.fetch_add(1, Relaxed) >= self.bound || !self.place(key_of(address), entry) {
            self.held.fetch_sub(1, Relaxed);
            return false;
        }
        true
    }

    /// From the largest level down, where most room is; then the next level is opened.
    fn place(&self, key: u64, entry: Entry) -> bool {
        loop {
            let open = self.open.load(Acquire);
            for level in (0..open).rev() {
                if self.choices(level, key).any(|bucket| bucket.insert(key, entry)) {
                    return true;
                }
            }
            if open == self.levels.count {
                return false;
            }
            let _ = self.open.compare_exchange(open, open + 1, AcqRel, Relaxed);
        }
    }

    /// The slot of the object at `address`, for the thread that frees or resizes it.
    pub(crate) fn find(&self, address: usize) -> Option<Slot<'a>> {
        let key = key_of(address);
        let open = self.open.load(Acquire);
        (0..open).rev().find_map(|level| self.choices(level, key).find_map(|bucket| bucket.find(key)))
    }

    /// Adds the object at `address` in the room of `old`, which is given up: a full table still has
    /// place for an object that grew. Answers whether a slot was found.
    pub(crate) fn replace(&self, old: Slot<'_>, address: usize, entry: Entry) -> bool {
        let placed = self.place(key_of(address), entry);
        old.release();
        if !placed {
            self.held.fetch_sub(1, Relaxed);
        }
        placed
    }

    /// Gives up a slot of this table.
    pub(crate) fn release(&self, slot: Slot<'_>) {
        slot.release();
        self.held.fetch_sub(1, Relaxed);
    }

    fn choices(&self, level: usize, key: u64) -> impl Iterator<Item = &'a Bucket> + use<'a> {
        let buckets = self.buckets;
        self.levels.choices(level, key).into_iter().map(move |index| &buckets[index])
    }

    /// How many objects are followed now.
    pub(crate) fn len(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// The entries that are there now.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let open = self.levels.ends[self.open.load(Acquire) - 1];
        self.buckets[..open].iter().flat_map(Bucket::entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::SiteId;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// A table of its own, in memory that is never given back.
    fn table(bound: usize) -> Live<'static> {
        let mut layout = Layout::default();
        let place = LivePlace::new(&mut layout, bound);
        let arena = Reservation::new(layout.bytes()).unwrap();
        // SAFETY: the arena is forgotten below, so it lives forever; the place is used once.
        #[allow(unsafe_code)]
        let live = unsafe { place.table(&arena) };
        std::mem::forget(arena);
        live
    }

    fn entry(size: usize) -> Entry {
        Entry { site: SiteId(size as u32 % 10), size, birth: 3 }
    }

    #[test]
    fn the_bound_is_reached_and_not_passed() {
        for bound in [1, 16, 1000, 50_000] {
            let live = table(bound);
            // Blocks of one size class, as an allocator lays them out.
            let address = |n: usize| 0x7f00_0000_1000 + n * 64;
            assert!((0..bound).all(|n| live.insert(address(n), entry(n))), "bound {bound}");
            assert!(!live.insert(address(bound), entry(0)));
            assert_eq!((live.len(), live.entries().count()), (bound, bound));
            for n in 0..bound {
                let slot = live.find(address(n)).unwrap();
                assert_eq!(slot.entry(), entry(n));
                live.release(slot);
            }
            assert_eq!((live.len(), live.entries().count()), (0, 0));
        }
    }

    #[test]
    fn threads_keep_their_own_addresses() {
        let live = table(10_000);
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                let live = &live;
                scope.spawn(move || {
                    for round in 0..50 {
                        let address = |n: usize| (n * 4 + thread) * 16 + 16;
                        assert!((0..2000).all(|n| live.insert(address(n), entry(n + round))));
                        for n in 0..2000 {
                            let slot = live.find(address(n)).unwrap();
                            assert_eq!(slot.entry(), entry(n + round));
                            live.release(slot);
                        }
                    }
                });
            }
        });
        assert_eq!((live.len(), live.entries().count()), (0, 0));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Insert(usize, usize),
        Remove(usize),
        Realloc { from: usize, to: usize, size: usize, fails: bool },
    }

    fn step() -> impl Strategy<Value = Step> {
        let address = || (1..200usize).prop_map(|n| n * 16);
        prop_oneof![
            (address(), 1..1000usize).prop_map(|(address, size)| Step::Insert(address, size)),
            address().prop_map(Step::Remove),
            (address(), address(), 1..1000usize, any::<bool>())
                .prop_map(|(from, to, size, fails)| Step::Realloc { from, to, size, fails }),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in prop::collection::vec(step(), 1..1000)) {
            let live = table(100);
            let mut model = HashMap::new();
            for step in steps {
                match step {
                    Step::Insert(address, size) if !model.contains_key(&address) => {
                        let room = live.insert(address, entry(size));
                        prop_assert_eq!(room, model.len() < 100);
                        if room {
                            model.insert(address, size);
                        }
                    }
                    Step::Insert(..) => {}
                    Step::Remove(address) => {
                        let slot = live.find(address);
                        prop_assert_eq!(slot.map(|slot| slot.entry()), model.remove(&address).map(entry));
                        slot.into_iter().for_each(|slot| live.release(slot));
                    }
                    Step::Realloc { from, to, size, fails } => {
                        let free_place = from == to || !model.contains_key(&to);
                        if let (Some(slot), true) = (live.find(from), free_place) {
                            slot.take();
                            prop_assert!(live.find(from).is_none());
                            if fails {
                                slot.put_back();
                            } else {
                                prop_assert!(live.replace(slot, to, entry(size)));
                                model.remove(&from);
                                model.insert(to, size);
                            }
                        }
                    }
                }
                prop_assert_eq!(live.len(), model.len());
            }
            let mut sizes: Vec<usize> = live.entries().map(|entry| entry.size).collect();
            let mut expected: Vec<usize> = model.into_values().collect();
            sizes.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(sizes, expected);
        }
    }
}
