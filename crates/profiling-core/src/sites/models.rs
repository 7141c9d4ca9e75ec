use super::*;
use crate::{
    sampler::Interval,
    sync::{Model, together},
};
use std::sync::Arc;

fn table(max_sites: usize) -> Arc<Sites<'static>> {
    let mut layout = Layout::default();
    let place = SitesPlace::new(&mut layout, max_sites, 2);
    let arena = Reservation::new(layout.bytes()).unwrap();
    // SAFETY: the arena is forgotten below; the place is used once.
    #[allow(unsafe_code)]
    let sites = unsafe { place.table(&arena) };
    std::mem::forget(arena);
    Arc::new(sites)
}

/// Stacks that come into one chain of two.
const ALIKE: [[usize; 2]; 2] = [[1, 2], [1, 3]];

#[test]
fn the_stacks_are_alike() {
    let [one, other] = ALIKE.map(|stack| hash(&stack, Context::NONE) & 1);
    assert_eq!(one, other);
}

#[test]
fn two_that_add_a_stack_at_once_get_one_site() {
    Model::check(|| {
        let sites = table(2);
        let add = |sites: &Sites<'static>| sites.intern(&ALIKE[0], Context::NONE);
        let [one, other] = together(&sites, [add, add]);
        assert!(one == other && one != SiteId::FULL);
        assert!(sites.stack(one).eq(ALIKE[0]));
        assert_eq!(sites.intern(&ALIKE[0], Context::NONE), one);
    });
}

#[test]
fn two_stacks_of_one_chain_are_both_found() {
    fn add_twice(sites: &Sites<'static>, stack: [usize; 2]) -> SiteId {
        let id = sites.intern(&stack, Context::NONE);
        assert_eq!(sites.intern(&stack, Context::NONE), id);
        id
    }
    Model::check(|| {
        let sites = table(2);
        let [one, other] =
            together(&sites, [|sites| add_twice(sites, ALIKE[0]), |sites| add_twice(sites, ALIKE[1])]);
        assert_ne!(one, other);
        assert_eq!(
            [sites.intern(&ALIKE[0], Context::NONE), sites.intern(&ALIKE[1], Context::NONE)],
            [one, other]
        );
        assert!(sites.stack(one).eq(ALIKE[0]) && sites.stack(other).eq(ALIKE[1]));
    });
}

#[test]
fn a_stack_of_another_thread_is_read_whole() {
    Model::check(|| {
        let sites = table(3);
        let both = |sites: &Sites<'static>| [0, 1].map(|n| sites.intern(&ALIKE[n], Context::NONE));
        let turned = |sites: &Sites<'static>| [1, 0].map(|n| sites.intern(&ALIKE[n], Context::NONE));
        let [[one, other], [other_too, one_too]] = together(&sites, [both, turned]);
        assert!(one == one_too && other == other_too && one != other);
    });
}

#[test]
fn the_last_room_goes_to_one() {
    Model::check(|| {
        let sites = table(1);
        let ids = together(
            &sites,
            [|sites| sites.intern(&[1], Context::NONE), |sites| sites.intern(&[2], Context::NONE)],
        );
        assert_eq!(ids.iter().filter(|id| **id == SiteId::FULL).count(), 1);
        assert_eq!(sites.len(), 2);
    });
}

#[test]
fn who_reads_a_count_finds_the_stack() {
    Model::check(|| {
        let sites = table(2);
        let count = |sites: &Sites<'static>| {
            let id = sites.intern(&ALIKE[0], Context::NONE);
            sites.counters(id).allocated(Interval::new(1).weight(8), false);
        };
        let read = |sites: &Sites<'static>| {
            for id in sites.ids() {
                if sites.counters(id).samples.load(Acquire) != 0 {
                    assert!(sites.stack(id).eq(ALIKE[0]));
                }
            }
        };
        together(&sites, [count, read]);
        let alloc = sites.ids().map(|id| sites.counters(id).alloc.load().bytes >> 20);
        assert_eq!(alloc.sum::<u128>(), 8);
    });
}
