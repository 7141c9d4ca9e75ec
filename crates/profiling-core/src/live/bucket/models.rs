use super::{super::slot::Slot, *};
use crate::sync::{AtomicUsize, Model, together};
use std::sync::Arc;

/// The address of an object.
fn at(n: usize) -> usize {
    0x7f00_0000_1000 + n * 64
}

/// A bucket alone, with a filter in front of it.
struct Place {
    bucket: Bucket,
    filter: Filter,
}

/// Told apart by everything.
fn entry(number: usize) -> Entry {
    Entry { site: SiteId(number as u32), size: number, birth: number as u64, doublings: 0 }
}

impl Place {
    fn new() -> Arc<Self> {
        let filter = Filter::new(8, &AtomicUsize::new(0)).unwrap();
        Arc::new(Self { bucket: Bucket::default(), filter })
    }

    fn put(&self, address: usize, entry: Entry) -> bool {
        let index = self.bucket.first_free();
        let claimed = index < SLOTS && self.bucket.claim(index);
        if claimed {
            self.bucket.put(index, address, entry, &self.filter, self.filter.growth().widths());
        }
        claimed
    }

    fn find(&self, address: usize) -> Option<Slot<'_>> {
        self.bucket.find(address)
    }

    fn remove(&self, address: usize) -> Option<Entry> {
        self.find(address)?.remove(&self.filter)
    }

    /// Answers what went.
    fn thin(&self, keeps: fn(Entry) -> bool) -> Vec<Entry> {
        let mut dropped = Vec::new();
        let thinned = |entry, kept: bool| dropped.extend((!kept).then_some(entry));
        self.bucket.thin(1, &self.filter, keeps, thinned);
        dropped
    }

    fn check_empty(&self) {
        assert!(self.filter.is_empty() && self.bucket.entries().count() == 0);
    }
}

#[test]
fn a_slot_goes_to_one_of_two_that_claim_it() {
    fn put_and_remove(place: &Place, number: usize) {
        let address = at(number);
        assert!(place.put(address, entry(number)) || place.put(address, entry(number)), "there are two");
        assert_eq!(place.remove(address), Some(entry(number)));
    }
    Model::check(|| {
        let place = Place::new();
        together(&place, [|place| put_and_remove(place, 1), |place| put_and_remove(place, 2)]);
        place.check_empty();
    });
}

#[test]
fn a_reader_never_mixes_two_entries() {
    Model::check(|| {
        let place = Place::new();
        assert!(place.put(at(2), entry(1)));
        let replace = |place: &Place| {
            assert_eq!(place.remove(at(2)), Some(entry(1)));
            assert!(place.put(at(2), entry(2)));
        };
        let read = |place: &Place| {
            for seen in place.bucket.entries() {
                assert!([entry(1), entry(2)].contains(&seen), "{seen:?}");
            }
        };
        together(&place, [replace, read]);
    });
}

#[test]
fn an_entry_goes_to_its_owner_or_to_thinning() {
    Model::check(|| {
        let place = Place::new();
        assert!(place.put(at(1), entry(1)) && place.put(at(2), entry(2)));
        let thin = |place: &Place| place.thin(|entry| entry.size == 2);
        let free = |place: &Place| {
            let one = place.remove(at(1));
            assert!(one.is_none_or(|seen| seen == entry(1)), "{one:?}");
            let other = place.remove(at(2)).unwrap();
            assert_eq!(Entry { doublings: 0, ..other }, entry(2));
            one.into_iter().collect()
        };
        let [dropped, freed] = together(&place, [thin, free]);
        assert_eq!([dropped, freed].concat(), [entry(1)]);
        place.check_empty();
    });
}

#[test]
fn thinning_takes_no_entry_for_another_at_the_same_address() {
    Model::check(|| {
        let place = Place::new();
        assert!(place.put(at(2), entry(1)));
        let thin = |place: &Place| place.thin(|entry| entry.size == 2);
        let replace = |place: &Place| {
            let first: Vec<Entry> = place.remove(at(2)).into_iter().collect();
            assert!(place.put(at(2), entry(2)));
            first
        };
        let [dropped, freed] = together(&place, [thin, replace]);
        assert_eq!([dropped, freed].concat(), [entry(1)]);
        let second = place.remove(at(2)).unwrap();
        assert_eq!(Entry { doublings: 0, ..second }, entry(2));
        place.check_empty();
    });
}

#[test]
fn a_reallocation_is_left_alone_by_thinning() {
    Model::check(|| {
        let place = Place::new();
        assert!(place.put(at(2), entry(1)));
        let thin = |place: &Place| place.thin(|_| false);
        let resize = |place: &Place| {
            if let Some(slot) = place.find(at(2))
                && let Some(taken) = slot.take()
            {
                assert_eq!(taken, entry(1));
                assert!(place.find(at(2)).is_none());
                slot.put_back();
            }
            place.remove(at(2)).into_iter().collect()
        };
        let [dropped, freed] = together(&place, [thin, resize]);
        assert_eq!([dropped, freed].concat(), [entry(1)]);
        place.check_empty();
    });
}

#[test]
fn what_carrying_over_counts_is_taken_back() {
    Model::check(|| {
        let place = Place::new();
        assert!(place.put(at(2), entry(1)));
        let carry_over = |place: &Place| place.bucket.carry_over(&place.filter, 2);
        let free = |place: &Place| assert_eq!(place.remove(at(2)), Some(entry(1)));
        together(&place, [carry_over, free, carry_over]);
        place.check_empty();
    });
}

#[test]
fn a_reallocation_is_carried_over() {
    Model::check(|| {
        let place = Place::new();
        assert!(place.put(at(2), entry(1)));
        let carry_over = |place: &Place| place.bucket.carry_over(&place.filter, 3);
        let resize = |place: &Place| {
            let slot = place.find(at(2)).unwrap();
            assert_eq!(slot.take(), Some(entry(1)));
            assert!(place.put(at(2), entry(2)), "the address is handed out again");
            slot.release(&place.filter);
            assert_eq!(place.remove(at(2)), Some(entry(2)));
        };
        together(&place, [carry_over, resize]);
        place.check_empty();
    });
}
