use super::*;
use crate::{
    Config,
    capture::Unwinder,
    live::Filter,
    sampler::Interval,
    sync::{AtomicUsize, Model, together},
    tables::Shared,
    tag::NamesOnce,
};
use std::sync::Arc;

/// Sampled at an interval; at more than one byte the table can be thinned.
fn tables(interval: u64, max_live_samples: usize) -> Arc<Shared> {
    let config = Config::default().sample_interval(interval).seed(1).max_sites(1).max_depth(1);
    let config = config.max_live_samples(max_live_samples);
    let filter = Filter::new(max_live_samples, &AtomicUsize::new(0)).unwrap();
    Arc::new(Shared::new(&config, 1, filter, Unwinder::NONE, NamesOnce::new().get().unwrap()).unwrap())
}

/// A request of some bytes, picked at the interval that the table has now.
fn granted(tables: &Tables, n: usize) -> (Granted, Weight) {
    let doublings = tables.live.doublings();
    let size = 16 + n;
    let granted = Granted { address: 0x7f00_0000_1000 + n * 64, size, doublings, frame: Registers::here() };
    (granted, tables.interval.doubled(doublings).weight(size))
}

fn follow(tables: &Tables, n: usize, before: Before) {
    let (thread, (granted, weight)) = (Thread::new(), granted(tables, n));
    thread.seed(n as u64);
    tables.follow(&thread, granted, before, SiteId::FULL, weight);
}

fn free(tables: &Tables, n: usize) {
    tables.free(granted(tables, n).0.address);
}

fn check_empty(tables: &Tables) {
    assert_eq!(tables.live.len(), 0);
    assert_eq!(tables.sites.counters(SiteId::FULL).live.load(), Weight::default());
}

/// One of those to which thinning leaves the first object.
const KEEPS: u64 = 5;
/// One of those to which it does not.
const DROPS: u64 = 2;

fn seeded(seed: u64) -> Thread {
    let thread = Thread::new();
    thread.seed(seed);
    thread
}

/// A full table, which has to be thinned to half of what it holds.
fn full() -> Arc<Shared> {
    let tables = tables(64, 1);
    follow(&tables, 0, Before::Nothing);
    assert!(tables.make_room(&Thread::new()) && tables.live.doublings() == 1);
    tables
}

/// Thins it, with random numbers from a seed on.
fn thin<const SEED: u64>(tables: &Shared) {
    assert!(tables.make_room(&seeded(SEED)));
}

fn is_kept(seed: u64) -> bool {
    let (interval, size) = (Interval::new(64), 16);
    interval.is_kept_at(interval.doubled(1), size, seeded(seed).next_random())
}

#[test]
fn what_thinning_keeps_is_given_back_to_the_last_digit() {
    assert!(is_kept(KEEPS));
    Model::check(|| {
        let tables = full();
        let thin = |tables: &Shared| {
            thin::<KEEPS>(tables);
            None
        };
        let remove = |tables: &Shared| tables.live.remove(granted(tables, 0).0.address);
        let [_, removed] = together(&tables, [thin, remove]);
        // At the interval that it was found at, which is what its site has.
        tables.forget(removed.unwrap());
        check_empty(&tables);
    });
}

#[test]
fn what_thinning_drops_is_given_back_once() {
    assert!(!is_kept(DROPS));
    Model::check(|| {
        let tables = full();
        together(&tables, [thin::<DROPS>, |tables| free(tables, 0)]);
        check_empty(&tables);
    });
}

#[test]
fn what_finds_no_room_is_given_back() {
    Model::check(|| {
        let tables = tables(1, 1);
        follow(&tables, 0, Before::Nothing);
        let put = |tables: &Shared| {
            let (Granted { address, size, .. }, weight) = granted(tables, 1);
            let entry = Entry { site: SiteId::FULL, size, birth: 0, doublings: 0 };
            tables.put(address, entry, weight, false);
        };
        together(&tables, [put, |tables| free(tables, 0)]);
        free(&tables, 1);
        check_empty(&tables);
    });
}

#[test]
fn a_reallocation_that_moves_gives_back_what_its_object_had() {
    Model::check(|| {
        let tables = tables(1, 2);
        [0, 1].into_iter().for_each(|n| follow(&tables, n, Before::Nothing));
        let resize = |tables: &Shared| {
            let slot = tables.live.find(granted(tables, 0).0.address).unwrap();
            let entry = slot.take().unwrap();
            follow(tables, 2, Before::Followed(slot, entry));
        };
        let free = |tables: &Shared| assert!(tables.live.remove(granted(tables, 1).0.address).is_some());
        together(&tables, [resize, free]);
        self::free(&tables, 2);
        assert_eq!(tables.live.len(), 0);
    });
}

#[test]
fn a_reallocation_that_is_not_followed_gives_back_what_its_object_had() {
    Model::check(|| {
        let tables = tables(1, 2);
        [0, 1].into_iter().for_each(|n| follow(&tables, n, Before::Nothing));
        let resize = |tables: &Shared| {
            let slot = tables.live.find(granted(tables, 0).0.address).unwrap();
            let entry = slot.take().unwrap();
            tables.unfollow(slot, entry);
        };
        together(&tables, [resize, |tables| free(tables, 1)]);
        check_empty(&tables);
    });
}
