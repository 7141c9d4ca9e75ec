//! The table of live samples.

use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};

use super::{
    key::{MAX_DOUBLINGS, fits},
    levels::Levels,
    pass::Pass,
    slot::{Bucket, Entry, Slot},
};
use crate::arena::{Layout, Place};
use crate::os::Reservation;

/// Where the table's buckets are in the arena.
pub(crate) struct LivePlace {
    buckets: Place<Bucket>,
    levels: Levels,
    bound: usize,
}

impl LivePlace {
    pub(crate) fn new(layout: &mut Layout, max_live_samples: usize) -> Self {
        let levels = Levels::new(max_live_samples);
        Self { buckets: layout.place(levels.buckets(levels.count())), levels, bound: max_live_samples }
    }

    /// The table in `arena`.
    ///
    /// # Safety
    ///
    /// The arena lives for `'a`; the place was made with its layout and is used once.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn table<'a>(&self, arena: &Reservation) -> Live<'a> {
        Live {
            // SAFETY: forwarded from the caller.
            buckets: unsafe { arena.slice(&self.buckets) },
            levels: self.levels,
            bound: self.bound,
            open: AtomicUsize::new(1),
            held: AtomicUsize::new(0),
            pass: AtomicU64::new(Pass::NONE.0),
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
    /// A [`Pass`]: how far the table is thinned.
    pass: AtomicU64,
}

/// Buckets that are thinned at a time, by a thread that found the table full.
const CHUNK: usize = 8;

impl<'a> Live<'a> {
    /// Adds the object at `address`, which is not in the table. Answers whether there was room.
    pub(crate) fn insert(&self, address: usize, entry: Entry) -> bool {
        if self.held.fetch_add(1, Relaxed) >= self.bound || !self.place(address, entry) {
            self.held.fetch_sub(1, Relaxed);
            return false;
        }
        true
    }

    /// From the largest level down, where most room is; then the next level is opened.
    fn place(&self, address: usize, entry: Entry) -> bool {
        if !fits(address) {
            return false;
        }
        loop {
            let open = self.open.load(Acquire);
            for level in (0..open).rev() {
                let [one, other] = self.choices(level, address);
                let other_first = other.held() < one.held();
                let (first, second) = if other_first { (other, one) } else { (one, other) };
                if first.insert(address, entry) || second.insert(address, entry) {
                    return true;
                }
            }
            if open == self.levels.count() {
                return false;
            }
            let _ = self.open.compare_exchange(open, open + 1, AcqRel, Relaxed);
        }
    }

    /// The slot of the object at `address`, for the thread that frees or resizes it.
    pub(crate) fn find(&self, address: usize) -> Option<Slot<'a>> {
        let open = self.open.load(Acquire);
        let mut choices = (0..open).rev().flat_map(|level| self.choices(level, address));
        choices.find_map(|bucket| bucket.find(address))
    }

    /// Takes the object at `address` out, for the thread that frees it.
    pub(crate) fn remove(&self, address: usize) -> Option<Entry> {
        let entry = self.find(address)?.remove()?;
        self.held.fetch_sub(1, Relaxed);
        Some(entry)
    }

    /// Adds the object at `address` in the room of one whose entry was taken: a full table still has
    /// place for an object that grew. Answers whether a slot was found.
    pub(crate) fn insert_in_its_room(&self, address: usize, entry: Entry) -> bool {
        self.place(address, entry)
    }

    /// Gives up a slot whose entry was taken, and its room, unless that was passed on.
    pub(crate) fn release(&self, slot: Slot<'_>, passed_on: bool) {
        slot.release();
        if !passed_on {
            self.held.fetch_sub(1, Relaxed);
        }
    }

    /// How often the interval of live samples has doubled.
    pub(crate) fn doublings(&self) -> u32 {
        Pass(self.pass.load(Acquire)).doublings()
    }

    /// Makes room in a full table: thins a few buckets, or, if all are thinned to the current interval,
    /// doubles that. Answers false when there is no interval left to double to.
    ///
    /// `keeps` is asked whether an entry stays when it is thinned to so many doublings; `thinned` is
    /// told the entry as it was, its address, and to how many doublings it was kept, if it was.
    pub(crate) fn make_room(
        &self,
        mut keeps: impl FnMut(Entry, u32) -> bool,
        mut thinned: impl FnMut(Entry, usize, Option<u32>),
    ) -> bool {
        let pass = Pass(self.pass.load(Acquire));
        let open = self.levels.buckets(self.open.load(Acquire));
        if pass.next() >= open {
            let more = pass.doublings() < MAX_DOUBLINGS;
            if more {
                let _ = self.pass.compare_exchange(pass.0, pass.doubled().0, AcqRel, Relaxed);
            }
            return more;
        }
        if self.pass.compare_exchange(pass.0, pass.advanced(CHUNK).0, AcqRel, Relaxed).is_ok() {
            let to = pass.doublings();
            let mut settle = |entry, address, kept: bool| {
                if !kept {
                    self.held.fetch_sub(1, Relaxed);
                }
                thinned(entry, address, kept.then_some(to));
            };
            for bucket in self.buckets[pass.next()..open].iter().take(CHUNK) {
                bucket.thin(to, |entry| keeps(entry, to), &mut settle);
            }
        }
        true
    }

    fn choices(&self, level: usize, address: usize) -> [&'a Bucket; 2] {
        self.levels.choices(level, address).map(|index| &self.buckets[index])
    }

    /// How many objects are followed now.
    pub(crate) fn len(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// The entries that are there now.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let open = self.levels.buckets(self.open.load(Acquire));
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
        Entry { site: SiteId(size as u32 % 10), size, birth: 3, doublings: 0 }
    }

    #[test]
    fn the_bound_is_reached_and_not_passed() {
        for (bound, stride) in [(1, 64), (16, 4096), (1000, 16), (50_000, 64), (50_000, 1 << 16)] {
            let live = table(bound);
            // Blocks of one size class, as an allocator lays them out.
            let address = |n: usize| 0x7f00_0000_1000 + n * stride;
            assert!((0..bound).all(|n| live.insert(address(n), entry(n))), "bound {bound}");
            assert!(!live.insert(address(bound), entry(0)));
            assert_eq!((live.len(), live.entries().count()), (bound, bound));
            // It stays usable at the bound, wherever the blocks go.
            for n in bound..3 * bound {
                assert_eq!(live.remove(address(n - bound)), Some(entry(n - bound)));
                assert!(live.insert(address(n), entry(n)), "bound {bound}");
            }
            for n in 2 * bound..3 * bound {
                assert_eq!(live.remove(address(n)), Some(entry(n)));
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
                            assert_eq!(live.remove(address(n)), Some(entry(n + round)));
                        }
                    }
                });
            }
        });
        assert_eq!((live.len(), live.entries().count()), (0, 0));
    }

    #[test]
    fn a_full_table_is_thinned_until_there_is_room() {
        let live = table(5000);
        let address = |n: usize| n * 64 + 64;
        assert!((0..5000).all(|n| live.insert(address(n), entry(n))));
        let (mut dropped, mut kept) = (Vec::new(), 0);
        while live.doublings() < 2 {
            assert!(live.make_room(
                |entry, to| entry.size % (1 << to) == 0,
                |entry, at, to| {
                    assert_eq!(at, address(entry.size));
                    match to {
                        Some(doublings) => kept += doublings,
                        None => dropped.push(entry.size),
                    }
                }
            ));
        }
        dropped.sort_unstable();
        assert!(dropped.into_iter().eq((1..5000).step_by(2)));
        assert_eq!((kept, live.len(), live.entries().count()), (2500, 2500, 2500));
        assert!(live.entries().all(|entry| entry.doublings == 1));
        assert!(live.insert(address(5000), entry(1)));
        assert_eq!(live.remove(address(1)), None);
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
                        prop_assert_eq!(live.remove(address), model.remove(&address).map(entry));
                    }
                    Step::Realloc { from, to, size, fails } => {
                        let free_place = from == to || !model.contains_key(&to);
                        if let (Some(slot), true) = (live.find(from), free_place) {
                            prop_assert_eq!(slot.take(), Some(entry(model[&from])));
                            prop_assert!(live.find(from).is_none());
                            if fails {
                                slot.put_back();
                            } else {
                                prop_assert!(live.insert_in_its_room(to, entry(size)));
                                live.release(slot, true);
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
