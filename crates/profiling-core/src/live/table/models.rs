use super::{
    tests::{HEAP, Heap, entry, table},
    *,
};
use crate::{
    live::FilterWord,
    sync::{AtomicBool, Model, Ordering::Release, together},
};
use std::{ops::Deref, sync::Arc};

mod growth;

/// The address of an object. The first ones have another cell after a growth.
fn at(n: usize) -> usize {
    HEAP + (n + 2) * 64
}

/// A heap, and what its allocator and its program tell from thread to thread.
struct Shared {
    heap: Heap,
    told: AtomicBool,
}

impl Deref for Shared {
    type Target = Heap;

    fn deref(&self) -> &Heap {
        &self.heap
    }
}

impl Shared {
    /// With so many objects, and room for `bound`.
    fn new(bound: usize, objects: usize) -> Arc<Self> {
        let heap = table(bound);
        (0..objects).for_each(|n| assert!(heap.insert(at(n), entry(n))));
        Arc::new(Self { heap, told: AtomicBool::new(false) })
    }

    fn tell(&self) {
        self.told.store(true, Release);
    }

    fn is_told(&self) -> bool {
        self.told.load(Acquire)
    }

    fn allocate(&self, n: usize) {
        assert!(self.insert(at(n), entry(n)));
        assert!(may_hold(self.word(), at(n)));
    }

    /// With room that is taken already.
    fn make(&self, n: usize) {
        assert!(self.insert_in_room(at(n), entry(n)));
    }

    /// As [`Shared::make`], with the word left as it is.
    fn insert_behind(&self, n: usize) {
        assert!(self.live.insert(at(n), entry(n)));
    }

    /// As the free path does.
    fn free(&self, n: usize) -> Option<Entry> {
        may_hold(self.word(), at(n)).then(|| self.remove(at(n))).flatten()
    }

    fn free_own(&self, n: usize) {
        assert_eq!(self.free(n), Some(entry(n)), "{n}");
    }

    /// Makes room until all is thinned to one doubling, if no other thread does; answers the sizes of what went.
    fn thin(&self, keeps: fn(Entry) -> bool) -> Vec<usize> {
        let mut dropped = Vec::new();
        let open = || self.levels.buckets(self.open.load(Relaxed));
        while self.doublings() == 0 || Pass(self.pass.load(Relaxed)).next() < open() {
            let thinned = |entry: Entry, kept: Option<u32>| {
                dropped.extend(kept.is_none().then_some(entry.size));
            };
            assert!(self.make_room(|entry, _| keeps(entry), thinned));
        }
        dropped
    }

    /// Ends a growth that has begun.
    fn grow(&self) {
        loop {
            let growth = self.filter.growth();
            if !growth.grows() || growth.is_done() {
                break;
            }
            self.carry_over(growth);
        }
        self.filter.switch(&self.word);
    }

    fn check_empty(&self) {
        assert_eq!((self.len(), self.entries().count()), (0, 0));
        assert!(self.filter.is_empty());
    }
}

/// Whether the free path that reads `word` looks into the table for `address`.
fn may_hold(word: FilterWord, address: usize) -> bool {
    // SAFETY: the word of a filter, which is never unmapped.
    #[allow(unsafe_code)]
    unsafe { word.look(address) }.may_be_at(address)
}

/// An object comes and goes, while another thread does `other`.
fn come_and_go_beside(heap: &Arc<Shared>, other: fn(&Shared)) {
    let come_and_go = |heap: &Shared| {
        heap.allocate(1);
        heap.free_own(1);
    };
    together(heap, [come_and_go, other]);
}

#[test]
fn a_thread_finds_its_own_beside_one_that_allocates() {
    Model::check(|| {
        let heap = Shared::new(2, 0);
        come_and_go_beside(&heap, |heap| heap.allocate(2));
        heap.free_own(2);
        heap.check_empty();
    });
}

#[test]
fn a_thread_finds_its_own_beside_one_that_frees() {
    Model::check(|| {
        let heap = Shared::new(2, 1);
        come_and_go_beside(&heap, |heap| heap.free_own(0));
        heap.check_empty();
    });
}

#[test]
fn an_object_is_handed_over_while_the_filter_grows() {
    Model::check(|| {
        let heap = Shared::new(4, 1);
        let make = |heap: &Shared| {
            heap.allocate(1);
            heap.tell();
        };
        let take = |heap: &Shared| {
            if heap.is_told() {
                heap.free_own(1);
            }
        };
        together(&heap, [make, take, Shared::grow]);
        let _ = heap.free(1);
        heap.free_own(0);
        heap.check_empty();
    });
}

#[test]
fn an_address_is_handed_on() {
    Model::check(|| {
        let heap = Shared::new(2, 1);
        let free = |heap: &Shared| {
            heap.free_own(0);
            // What an allocator does between two threads.
            heap.tell();
        };
        let reuse = |heap: &Shared| {
            if heap.is_told() {
                assert!(heap.insert(at(0), entry(7)));
                assert_eq!(heap.free(0), Some(entry(7)));
            }
        };
        let read = |heap: &Shared| {
            assert!(heap.entries().all(|seen| [entry(0), entry(7)].contains(&seen)));
        };
        together(&heap, [free, reuse, read]);
        heap.check_empty();
    });
}

#[test]
fn a_slot_is_used_again_beside_a_reader() {
    Model::check(|| {
        let heap = Shared::new(1, 1);
        let replace = |heap: &Shared| {
            heap.free_own(0);
            heap.allocate(1);
        };
        let read = |heap: &Shared| {
            assert!(heap.entries().all(|seen| [entry(0), entry(1)].contains(&seen)));
        };
        together(&heap, [replace, read]);
        heap.free_own(1);
        heap.check_empty();
    });
}

#[test]
fn the_last_room_goes_to_one_object() {
    fn try_to_insert(heap: &Shared, n: usize) -> usize {
        usize::from(heap.insert(at(n), entry(n)))
    }
    Model::check(|| {
        let heap = Shared::new(1, 0);
        let [one, other] = together(&heap, [|heap| try_to_insert(heap, 1), |heap| try_to_insert(heap, 2)]);
        // Both can find the room just taken by the other, which then gives it back.
        assert!(one + other < 2 && heap.len() == one + other);
        assert_eq!([1, 2].map(|n| usize::from(heap.free(n).is_some())), [one, other]);
        heap.check_empty();
    });
}

#[test]
fn a_reallocation_moves_its_object() {
    Model::check(|| {
        let heap = Shared::new(2, 1);
        let resize = |heap: &Shared| {
            let slot = heap.find(at(0)).unwrap();
            assert_eq!(slot.take(), Some(entry(0)));
            assert!(heap.find(at(0)).is_none());
            heap.make(1);
            heap.release(slot, true);
        };
        assert!(heap.take_room());
        together(&heap, [resize, |heap| heap.make(2)]);
        [1, 2].into_iter().for_each(|n| heap.free_own(n));
        heap.check_empty();
    });
}

#[test]
fn a_reallocation_that_fails_puts_its_object_back() {
    Model::check(|| {
        let heap = Shared::new(3, 1);
        let resize = |heap: &Shared| {
            let slot = heap.find(at(0)).unwrap();
            assert_eq!(slot.take(), Some(entry(0)));
            slot.put_back();
            heap.free_own(0);
        };
        let others = |heap: &Shared| [1, 2].into_iter().for_each(|n| heap.allocate(n));
        together(&heap, [resize, others]);
        [1, 2].into_iter().for_each(|n| heap.free_own(n));
        heap.check_empty();
    });
}

#[test]
fn a_reallocation_ends_its_object() {
    Model::check(|| {
        let heap = Shared::new(2, 1);
        let resize = |heap: &Shared| {
            let taken = heap.find(at(0)).and_then(|slot| Some((slot, slot.take()?)));
            taken.iter().for_each(|(slot, _)| heap.release(*slot, false));
            taken.into_iter().map(|(_, entry)| entry.size).collect()
        };
        let thin = |heap: &Shared| heap.thin(|_| false);
        let [ended, dropped] = together(&heap, [resize, thin]);
        assert_eq!([ended, dropped].concat(), [0]);
        heap.check_empty();
    });
}

#[test]
fn an_entry_is_thinned_out_or_freed() {
    Model::check(|| {
        let heap = Shared::new(2, 2);
        let thin = |heap: &Shared| heap.thin(|entry| entry.size == 1);
        let free = |heap: &Shared| {
            let freed = heap.free(0).map(|entry| entry.size);
            let kept = heap.free(1).unwrap();
            assert_eq!(Entry { doublings: 0, ..kept }, entry(1));
            freed.into_iter().collect()
        };
        let [dropped, freed] = together(&heap, [thin, free]);
        assert_eq!([dropped, freed].concat(), [0]);
        heap.check_empty();
    });
}

#[test]
fn two_that_thin_do_each_bucket_once() {
    Model::check(|| {
        let heap = Shared::new(2, 2);
        let thin = |heap: &Shared| heap.thin(|_| false);
        let [one, other] = together(&heap, [thin, thin]);
        let mut dropped = [one, other].concat();
        dropped.sort_unstable();
        assert_eq!(dropped, [0, 1]);
        heap.check_empty();
    });
}
