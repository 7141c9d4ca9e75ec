//! The table against a map: long runs of random steps, by fixed seeds.

use super::{
    tests::{HEAP, Heap, entry},
    *,
};
use crate::{runs, sampler::next_random};
use std::collections::HashMap;

/// Entries by address, as the table should have them.
type Map = HashMap<usize, Entry>;

const STEPS: usize = 1000;

/// One run: inserts, removes, resizes and thins, at a load that lets the filter grow.
fn run(seed: u64, spare: &AtomicUsize) {
    let mut state = seed;
    let mut random = |below: u64| {
        let number;
        (state, number) = next_random(state);
        number % below
    };
    let bound = [20, 300, 5000][random(3) as usize];
    let mut layout = Layout::default();
    let place = LivePlace::new(&mut layout, bound);
    let arena = Reservation::new(layout.bytes()).unwrap();
    let filter = Filter::new(bound, spare).unwrap();
    // SAFETY: the arena lives until the end of the run; the place is used once.
    #[allow(unsafe_code)]
    let live = unsafe { place.table(&arena, filter) };
    let heap = Heap { word: AtomicUsize::new(live.filter.word().0), live };
    let mut map = Map::new();
    // So many at once that the largest tables fill up.
    let batch = 1 + bound as u64 / 100;
    for _ in 0..STEPS {
        let address = |n: u64| HEAP + n as usize * 32;
        let (first, size) = (random(2 * bound as u64), random(1000) as usize + 1);
        let doublings = heap.doublings();
        match random(16) {
            0..7 => {
                for at in
                    (first..first + batch).map(address).filter(|at| !map.contains_key(at)).collect::<Vec<_>>()
                {
                    let new = Entry { doublings, ..entry(size) };
                    assert_eq!(heap.insert(at, new), map.len() < bound);
                    if map.len() < bound {
                        map.insert(at, new);
                    }
                }
            }
            7..12 => (first..first + batch)
                .map(address)
                .for_each(|at| assert_eq!(heap.remove(at), map.remove(&at))),
            12..15 => {
                let (from, to) = (address(first), address(random(2 * bound as u64)));
                if let (Some(slot), true) = (heap.find(from), from == to || !map.contains_key(&to)) {
                    assert_eq!(slot.take(), map.get(&from).copied());
                    assert!(heap.find(from).is_none());
                    match random(3) {
                        0 => slot.put_back(),
                        1 => {
                            heap.release(slot, false);
                            map.remove(&from);
                        }
                        _ => {
                            let new = Entry { doublings, ..entry(size) };
                            assert!(heap.insert_in_room(to, new));
                            heap.release(slot, true);
                            map.remove(&from);
                            map.insert(to, new);
                        }
                    }
                }
            }
            // Only when it is full, as a session does.
            _ if map.len() == bound && doublings < 8 => thin(&heap, &mut map),
            _ => {}
        }
        assert_eq!(heap.len(), map.len());
        let word = heap.word();
        // SAFETY: the word of a filter, which is never unmapped.
        #[allow(unsafe_code)]
        let may_hold = |at: &usize| unsafe { word.look(*at) }.may_be_at(*at);
        assert!(map.keys().take(20).all(may_hold));
    }
    let mut entries: Vec<_> = heap.entries().map(|entry| (entry.size, entry.doublings)).collect();
    let mut expected: Vec<_> = map.values().map(|entry| (entry.size, entry.doublings)).collect();
    entries.sort_unstable();
    expected.sort_unstable();
    assert_eq!(entries, expected);
    map.into_iter().for_each(|(at, entry)| assert_eq!(heap.remove(at), Some(entry)));
    assert!(heap.len() == 0 && heap.filter.is_empty());
    heap.filter.discard(spare);
}

/// A whole pass: what has an odd size goes, the rest stays for the longer interval.
fn thin(heap: &Heap, map: &mut Map) {
    let to = heap.doublings() + 1;
    while heap.doublings() < to
        || Pass(heap.pass.load(Relaxed)).next() < heap.levels.buckets(heap.open.load(Relaxed))
    {
        assert!(heap.make_room(|entry, _| entry.size % 2 == 0, |_, _| {}));
    }
    map.retain(|_, entry| entry.size % 2 == 0);
    map.values_mut().for_each(|entry| entry.doublings = to);
}

#[test]
fn agrees_with_a_map_in_long_runs() {
    let spare = AtomicUsize::new(0);
    runs::seeds().for_each(|seed| run(seed, &spare));
}
