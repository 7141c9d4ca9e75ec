use super::*;
use crate::{live::FilterWord, sites::SiteId};
use proptest::prelude::*;
use std::{collections::HashMap, ops::Deref};

/// Where a heap may begin.
pub(super) const HEAP: usize = 0x7f00_0000_1000;

/// A table and what the free path reads, as a recorder has them.
pub(super) struct Heap {
    pub(super) live: Live<'static>,
    pub(super) word: AtomicUsize,
}

impl Deref for Heap {
    type Target = Live<'static>;

    fn deref(&self) -> &Live<'static> {
        &self.live
    }
}

impl Heap {
    pub(super) fn insert(&self, address: usize, entry: Entry) -> bool {
        self.take_room()
            && (self.insert_in_room(address, entry) || {
                self.give_room_back();
                false
            })
    }

    pub(super) fn insert_in_room(&self, address: usize, entry: Entry) -> bool {
        let is_in = self.live.insert(address, entry);
        self.live.filter.switch(&self.word);
        is_in
    }

    /// What the free path reads now.
    pub(super) fn word(&self) -> FilterWord {
        FilterWord(self.word.load(Acquire))
    }
}

/// A table of its own, in memory that is never given back.
pub(super) fn table(bound: usize) -> Heap {
    let mut layout = Layout::default();
    let place = LivePlace::new(&mut layout, bound);
    let arena = Reservation::new(layout.bytes()).unwrap();
    let filter = Filter::new(bound, &AtomicUsize::new(0)).unwrap();
    // SAFETY: the arena is forgotten below, so it lives forever; the place is used once.
    #[allow(unsafe_code)]
    let live = unsafe { place.table(&arena, filter) };
    std::mem::forget(arena);
    Heap { word: AtomicUsize::new(live.filter.word().0), live }
}

pub(super) fn entry(size: usize) -> Entry {
    Entry { site: SiteId(size as u32 % 10), size, birth: 3, doublings: 0 }
}

#[test]
fn the_bound_is_reached_and_not_passed() {
    for (bound, stride) in [(1, 64), (16, 4096), (1000, 16), (50_000, 64), (50_000, 1 << 16)] {
        let live = table(bound);
        // Blocks of one size class, as an allocator lays them out.
        let address = |n: usize| HEAP + n * stride;
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
        assert!(live.filter.is_empty());
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let live = table(10);
    assert!(!live.insert(1 << 48, entry(1)) && !live.insert(64, entry(1 << 56)));
    assert_eq!((live.len(), live.entries().count()), (0, 0));
}

#[test]
fn threads_keep_their_own_addresses() {
    let live = table(10_000);
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let live = &live;
            scope.spawn(move || {
                for round in 0..50 {
                    let address = |n: usize| HEAP + (n * 4 + thread) * 16;
                    assert!((0..2000).all(|n| live.insert(address(n), entry(n + round))));
                    for n in 0..2000 {
                        assert_eq!(live.remove(address(n)), Some(entry(n + round)));
                    }
                }
            });
        }
    });
    assert_eq!((live.len(), live.entries().count()), (0, 0));
    assert!(live.filter.is_empty());
}

#[test]
fn a_full_table_is_thinned_until_there_is_room() {
    let live = table(5000);
    let address = |n: usize| HEAP + n * 64;
    assert!((0..5000).all(|n| live.insert(address(n), entry(n))));
    let (mut dropped, mut kept) = (Vec::new(), 0);
    while live.doublings() < 2 {
        assert!(live.make_room(
            |entry, to| entry.size % (1 << to) == 0,
            |entry, to| match to {
                Some(doublings) => kept += doublings,
                None => dropped.push(entry.size),
            }
        ));
    }
    dropped.sort_unstable();
    assert!(dropped.into_iter().eq((1..5000).step_by(2)));
    assert_eq!((kept, live.len(), live.entries().count()), (2500, 2500, 2500));
    assert!(live.entries().all(|entry| entry.doublings == 1));
    assert!(live.insert(address(5000), entry(1)));
    assert_eq!(live.remove(address(1)), None);
    assert_eq!(live.remove(address(5000)), Some(entry(1)));
    (0..5000).step_by(2).for_each(|n| assert!(live.remove(address(n)).is_some()));
    assert!(live.filter.is_empty());
}

#[derive(Clone, Debug)]
enum Step {
    Insert(usize, usize),
    Remove(usize),
    Realloc { from: usize, to: usize, size: usize, fails: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let address = || (1..200usize).prop_map(|n| HEAP + n * 16);
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
                            prop_assert!(live.insert_in_room(to, entry(size)));
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
        let mut expected: Vec<usize> = model.values().copied().collect();
        sizes.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(sizes, expected);
        model.into_keys().for_each(|address| assert!(live.remove(address).is_some()));
        prop_assert!(live.filter.is_empty());
    }
}
