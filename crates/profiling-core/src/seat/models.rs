use super::*;
use crate::{
    sync::{Model, together},
    tag::NamesOnce,
};
use std::sync::Arc;

impl<'a> Hold<'a> {
    /// A hold that is counted, and was forgotten.
    pub(crate) fn left(seat: &'a Seat, number: u64) -> Self {
        Self { seat, number }
    }
}

/// A seat, and what tells that the session in it is the active one.
struct Place {
    seat: Seat,
    active: AtomicU64,
}

impl Place {
    fn new() -> Arc<Self> {
        Arc::new(Self { seat: Seat::new(), active: AtomicU64::new(0) })
    }

    fn start(&self, number: u64) -> Option<Hold<'_>> {
        let owner = self.seat.claim(number)?;
        let config = Config::default().max_live_samples(1).max_sites(1).max_depth(1);
        owner.set_up(&config, Unwinder::NONE, NamesOnce::new().get().unwrap()).unwrap();
        self.active.store(number, SeqCst);
        Some(owner)
    }

    fn stop(&self, owner: Hold<'_>) {
        self.active.store(0, SeqCst);
        drop(owner);
    }

    /// What the owner has at its stop, where the start was in another thread.
    fn owner(&self, number: u64) -> Hold<'_> {
        Hold::left(&self.seat, number)
    }

    /// What a hook does that has read `number`. Answers whether it was in.
    fn hook(&self, number: u64) -> bool {
        let hold = if number == 0 { None } else { self.seat.hold(number) };
        let hold = hold.filter(|_| self.active.load(SeqCst) == number);
        hold.is_some_and(|hold| {
            assert_eq!(hold.tables().number, number);
            hold.tables().threads.fetch_add(1, Relaxed);
            true
        })
    }

    /// Whether a session's tables were given back.
    fn was_left(&self) -> bool {
        self.seat.spare_filter.load(Acquire) != 0
    }
}

#[test]
fn the_last_one_out_gives_the_tables_back() {
    Model::check(|| {
        let place = Place::new();
        std::mem::forget(place.start(3).unwrap());
        let stop = |place: &Place| place.stop(place.owner(3));
        let hook = |place: &Place| {
            place.hook(place.active.load(Relaxed));
        };
        together(&place, [stop, hook, hook]);
        assert!(place.was_left(), "nobody is in");
        assert!(place.seat.claim(5).is_some());
    });
}

#[test]
fn a_session_is_set_up_before_its_number_is_known() {
    Model::check(|| {
        let place = Place::new();
        let start = |place: &Place| std::mem::forget(place.start(3).unwrap());
        let hook = |place: &Place| {
            place.hook(place.active.load(Relaxed));
        };
        together(&place, [start, hook]);
        place.stop(place.owner(3));
        assert!(place.was_left());
    });
}

#[test]
fn a_late_hook_is_in_no_other_session() {
    Model::check(|| {
        let place = Place::new();
        std::mem::forget(place.start(3).unwrap());
        let next = |place: &Place| {
            place.stop(place.owner(3));
            if let Some(next) = place.start(5) {
                assert_eq!(next.tables().number, 5);
                assert_eq!(next.tables().threads.load(Relaxed), 0);
                assert!(place.hook(5));
                place.stop(next);
            }
        };
        together(
            &place,
            [next, |place| {
                place.hook(3);
            }],
        );
        assert!(place.was_left() && place.seat.claim(7).is_some());
    });
}

#[test]
fn a_hold_from_before_a_fork_counts_nothing() {
    Model::check(|| {
        let place = Place::new();
        let owner = place.start(3).unwrap();
        std::mem::forget(place.seat.hold(3));
        place.seat.forget();
        let next = |place: &Place| {
            let next = place.start(5).unwrap();
            assert!(place.hook(5));
            assert_eq!(next.tables().threads.load(Relaxed), 1);
            place.stop(next);
        };
        together(&place, [next, |place| drop(place.owner(3))]);
        assert!(place.was_left() && place.seat.claim(7).is_some());
        drop(owner);
    });
}

#[test]
fn a_snapshot_keeps_the_tables() {
    /// A place, and a snapshot of its session.
    struct Taken(Arc<Place>, AtomicPtr<Tables>);

    Model::check(|| {
        let place = Place::new();
        let owner = place.start(3).unwrap();
        let snapshot = AtomicPtr::new(Shared::of(owner.tables()).into_raw());
        std::mem::forget(owner);
        let taken = Arc::new(Taken(Arc::clone(&place), snapshot));
        let stop = |taken: &Taken| taken.0.stop(taken.0.owner(3));
        let read = |taken: &Taken| {
            // SAFETY: taken once, from `into_raw`.
            let snapshot = unsafe { Shared::from_raw(taken.1.load(Relaxed)) }.unwrap();
            assert_eq!(snapshot.threads.load(Relaxed), 0);
        };
        together(&taken, [stop, read]);
        assert!(place.was_left());
    });
}
