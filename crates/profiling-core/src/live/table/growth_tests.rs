//! The table with its filter, while that grows.

use super::{
    tests::{HEAP, Heap, entry, table},
    *,
};
use crate::live::{FilterWord, Look};
use proptest::prelude::*;
use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, AtomicU64},
};

/// Whether the free path that reads `word` looks into the table for `address`.
fn may_hold(word: FilterWord, address: usize) -> bool {
    let look = look(word, address);
    !look.is_empty() && look.may_be_at(address)
}

fn look(word: FilterWord, address: usize) -> Look {
    // SAFETY: the word of a filter, which is never unmapped.
    #[allow(unsafe_code)]
    unsafe {
        word.look(address)
    }
}

/// What share of addresses that are not in the table the free path takes a first look at, and a second.
fn false_positives(word: FilterWord, absent: impl Iterator<Item = usize>) -> (f64, f64) {
    let (mut all, mut first, mut second) = (0, 0, 0);
    for address in absent {
        all += 1;
        first += usize::from(!look(word, address).is_empty());
        second += usize::from(may_hold(word, address));
    }
    (first as f64 / all as f64, second as f64 / all as f64)
}

/// Inserts objects up to the bound where `address` says, and looks at some that are not there, at addresses of
/// the same kind, after each doubling of the objects, before each growth, all the way through it, and after.
fn check_false_positives(kind: &str, bound: usize, address: impl Fn(usize) -> usize) {
    const LOOKS: usize = 4000;
    let heap = table(bound);
    let (mut worst, mut moments) = ((0.0f64, 0.0f64), 0);
    let mut seen = heap.filter.growth();
    for n in 1..=bound {
        assert!(heap.insert(address(2 * n), entry(n)));
        let growth = heap.filter.growth();
        let is_growing = growth.widths() != seen.widths() || (growth.grows() && growth.next() % 1024 < CHUNK);
        seen = growth;
        if n >= 100 && (is_growing || n.is_power_of_two() || n == bound) {
            let absent = (0..LOOKS).map(|look| address(2 * (look * n / LOOKS) + 1));
            let (first, second) = false_positives(heap.word(), absent);
            worst = (worst.0.max(first), worst.1.max(second));
            moments += 1;
            // What so many looks leave to chance is a third of a hundredth.
            assert!(first < 0.05 && second < 0.01, "{kind}, {n}: {first} {second}");
        }
    }
    assert!(moments > 50, "{kind}: {moments}");
    // All that is held, by the largest word: a number without chance.
    let (first, second) = false_positives(heap.word(), (0..bound).map(|n| address(2 * n + 1)));
    println!("{kind}: worst {worst:?} in {moments} moments, at last {first} {second}");
    assert!(first < 0.045 && second < 0.003, "{kind}: {first} {second}");
}

#[test]
fn false_positives_are_few_at_regular_addresses() {
    for stride in [16, 48, 64, 528, 4096, 4112, 1 << 16, (1 << 16) + 16, 1 << 21] {
        check_false_positives(&format!("stride {stride}"), 300_000, |n| HEAP + n * stride);
    }
    // Full, where the cells are fewest.
    check_false_positives("stride 64, default bound", 1 << 18, |n| HEAP + n * 64);
}

#[test]
fn false_positives_are_few_at_random_addresses() {
    let random = |n: usize| crate::sampler::next_random(n as u64).1 as usize;
    check_false_positives("random, 64 GiB", 300_000, |n| HEAP + random(n) % (1 << 32) * 16);
    // The largest that are addresses.
    check_false_positives("random", 300_000, |n| random(n) >> 21 << 4);
}

/// What a thread saw that then stood still in a free: the word, and the objects that it could have had.
struct Frozen {
    word: FilterWord,
    objects: Vec<usize>,
}

#[test]
fn a_word_that_was_read_before_a_growth_is_right_for_ever() {
    let heap = table(50_000);
    let address = |n: usize| HEAP + n * 80;
    let mut frozen = Vec::new();
    let mut here: Vec<usize> = Vec::new();
    for n in 0..60_000 {
        if n % 500 == 0 {
            frozen.push(Frozen { word: heap.word(), objects: here.clone() });
        }
        assert!(heap.insert(address(n), entry(n)));
        here.push(address(n));
        // Some go, so that what is taken back is put to the test as well.
        if n % 4 == 0 {
            let gone = here.swap_remove(n * 7 % here.len());
            assert!(heap.remove(gone).is_some());
        }
    }
    let words: std::collections::HashSet<usize> = frozen.iter().map(|frozen| frozen.word.0).collect();
    assert!(words.len() > 4, "it grew {} times", words.len());
    let live: std::collections::HashSet<usize> = here.iter().copied().collect();
    for frozen in &frozen {
        let mut still = frozen.objects.iter().filter(|object| live.contains(object));
        assert!(still.all(|object| may_hold(frozen.word, *object)));
    }
    here.iter().for_each(|object| assert!(heap.remove(*object).is_some()));
    assert!(heap.filter.is_empty());
}

/// Inserts, removes and resizes objects of its own until `until`, and looks at each of them through the
/// word that it reads, and through one that it read a while ago.
fn work(heap: &Heap, thread: usize, until: impl Fn() -> bool) -> usize {
    let address = |n: usize| HEAP + (n * 4 + thread) * 48;
    let (mut random, mut live, mut next) = (thread as u64, Vec::new(), 0);
    let mut old = heap.word();
    let mut known = 0;
    while !until() {
        let number;
        (random, number) = crate::sampler::next_random(random);
        match number % 8 {
            0..5 => {
                if heap.insert(address(next), entry(next)) {
                    live.push(next);
                }
                next += 1;
            }
            5 if !live.is_empty() => {
                let index = number as usize / 8 % live.len();
                // Those below `known` were there when `old` was read.
                let gone = live.remove(index);
                known -= usize::from(index < known);
                assert!(may_hold(heap.word(), address(gone)));
                assert_eq!(heap.remove(address(gone)), Some(entry(gone)));
            }
            6 if !live.is_empty() => {
                let index = number as usize / 8 % live.len();
                let slot = heap.find(address(live[index])).unwrap();
                assert_eq!(slot.take(), Some(entry(live[index])));
                if number & 64 == 0 {
                    slot.put_back();
                } else {
                    let moved = next;
                    next += 1;
                    assert!(heap.insert_in_room(address(moved), entry(moved)));
                    heap.release(slot, true);
                    live.remove(index);
                    known -= usize::from(index < known);
                    live.push(moved);
                }
            }
            _ => {
                let word = heap.word();
                let step = (live.len() / 50).max(1);
                for n in live.iter().skip(number as usize % step).step_by(step) {
                    assert!(may_hold(word, address(*n)), "not found: {n}");
                }
                assert!(live[..known].iter().step_by(step).all(|n| may_hold(old, address(*n))));
                if number & 0xff00 == 0 {
                    (old, known) = (word, live.len());
                }
            }
        }
    }
    for n in &live {
        assert_eq!(heap.remove(address(*n)), Some(entry(*n)));
    }
    next
}

#[test]
fn threads_find_their_own_while_it_grows() {
    for round in 0..20 {
        let heap = table(20_000);
        let inserted = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (heap, inserted) = (&heap, &inserted);
                scope.spawn(move || {
                    work(heap, thread, || {
                        inserted.fetch_add(1, Relaxed);
                        heap.filter.word() == heap.filter.word_at_last() || heap.len() >= 19_000
                    });
                });
            }
        });
        assert!(heap.filter.growth().widths().to > 18, "round {round}: {:?}", heap.filter.growth());
        assert_eq!((heap.len(), heap.entries().count()), (0, 0));
        assert!(heap.filter.is_empty(), "round {round}");
    }
}

#[test]
fn thinning_goes_on_while_it_grows() {
    let heap = table(8_000);
    let done = AtomicBool::new(false);
    let (mut inserted, mut freed) = (0, 0);
    let dropped = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let thinning = scope.spawn(|| {
            while !done.load(Relaxed) {
                let dropped = |_, kept: Option<u32>| {
                    dropped.fetch_add(u64::from(kept.is_none()), Relaxed);
                };
                heap.make_room(|entry, _| entry.size % 3 != 0, dropped);
                std::thread::yield_now();
            }
        });
        let address = |n: usize| HEAP + n * 64;
        for n in 0..7_000 {
            let doublings = heap.doublings();
            inserted += u64::from(heap.insert(address(n), Entry { doublings, ..entry(n) }));
        }
        done.store(true, Relaxed);
        thinning.join().unwrap();
        for n in 0..7_000 {
            freed += u64::from(heap.remove(address(n)).is_some());
        }
    });
    assert_eq!(freed + dropped.load(Relaxed), inserted);
    assert_eq!(heap.len(), 0);
    assert!(heap.filter.is_empty());
}

/// Many operations at once, so that few steps make the filter grow.
#[derive(Clone, Debug)]
enum Step {
    /// Objects of a size, from a number on.
    Insert {
        first: usize,
        count: usize,
        size: usize,
    },
    Remove {
        first: usize,
        count: usize,
    },
    /// Moves objects to where others are not.
    Move {
        first: usize,
        count: usize,
        fails: bool,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let first = || 0..20_000usize;
    let count = || 1..2_000usize;
    prop_oneof![
        3 => (first(), count(), 1..1000usize)
            .prop_map(|(first, count, size)| Step::Insert { first, count, size }),
        1 => (first(), count()).prop_map(|(first, count)| Step::Remove { first, count }),
        1 => (first(), count(), any::<bool>())
            .prop_map(|(first, count, fails)| Step::Move { first, count, fails }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn agrees_with_a_map_while_it_grows(steps in prop::collection::vec(step(), 1..40)) {
        let heap = table(20_000);
        let address = |n: usize| HEAP + n * 32;
        // Where objects are moved to.
        let elsewhere = |n: usize| address(n) + 16;
        let mut model = HashMap::new();
        for step in steps {
            match step {
                Step::Insert { first, count, size } => {
                    for at in (first..first + count).map(address) {
                        if !model.contains_key(&at) && model.len() < 20_000 {
                            prop_assert!(heap.insert(at, entry(size)));
                            model.insert(at, size);
                        }
                    }
                }
                Step::Remove { first, count } => {
                    for at in (first..first + count).flat_map(|n| [address(n), elsewhere(n)]) {
                        prop_assert_eq!(heap.remove(at), model.remove(&at).map(entry));
                    }
                }
                Step::Move { first, count, fails } => {
                    for n in first..first + count {
                        let (from, to) = (address(n), elsewhere(n));
                        if let (Some(slot), false) = (heap.find(from), model.contains_key(&to)) {
                            prop_assert_eq!(slot.take(), Some(entry(model[&from])));
                            if fails {
                                slot.put_back();
                            } else {
                                prop_assert!(heap.insert_in_room(to, entry(7)));
                                heap.release(slot, true);
                                model.remove(&from);
                                model.insert(to, 7);
                            }
                        }
                    }
                }
            }
            let word = heap.word();
            prop_assert!(model.keys().all(|at| may_hold(word, *at)));
            prop_assert_eq!(heap.len(), model.len());
        }
        for (at, size) in model {
            prop_assert_eq!(heap.remove(at), Some(entry(size)));
        }
        prop_assert!(heap.filter.is_empty());
    }
}
