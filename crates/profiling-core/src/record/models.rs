use super::*;
use crate::{
    Config,
    capture::Unwinder,
    live::Filter,
    sync::{AtomicUsize, Model, together},
    tables::Shared,
};
use std::sync::Arc;

/// Sampled at an interval; at more than one byte the table can be thinned.
fn tables(interval: u64, max_live_samples: usize) -> Arc<Shared> {
    let config = Config::default().sample_interval(interval).seed(1).max_sites(1).max_depth(1);
    let config = config.max_live_samples(max_live_samples);
    let filter = Filter::new(max_live_samples, &AtomicUsize::new(0)).unwrap();
    Arc::new(Shared::new(&config, 1, filter, Unwinder::NONE).unwrap())
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

#[test]
fn what_thinning_leaves_is_given_back_to_the_last_digit() {
    Model::with_preemptions(1).check(|| {
        let tables = tables(64, 1);
        follow(&tables, 0, Before::Nothing);
        let thin = |tables: &Shared| follow(tables, 1, Before::Nothing);
        together(&tables, [thin, |tables| free(tables, 0)]);
        free(&tables, 1);
        check_empty(&tables);
    });
}

#[test]
fn a_reallocation_gives_back_what_its_object_had() {
    Model::with_preemptions(1).check(|| {
        let tables = tables(1, 2);
        [0, 1].into_iter().for_each(|n| follow(&tables, n, Before::Nothing));
        let resize = |tables: &Shared| {
            let slot = tables.live.find(granted(tables, 0).0.address);
            let taken = slot.and_then(|slot| Some(Before::Followed(slot, slot.take()?)));
            follow(tables, 2, taken.unwrap_or(Before::Unfollowed));
        };
        together(&tables, [resize, |tables| free(tables, 1)]);
        free(&tables, 2);
        check_empty(&tables);
    });
}
