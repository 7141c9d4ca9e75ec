//! A place in the source where an order of memory is asked for, and the one that a run is to do without.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    env,
    panic::Location,
    sync::atomic::Ordering::{self, Relaxed},
};

/// Names the place whose order is weakened to the weakest, as [`Places`] writes places.
const WEAKEN: &str = "ALLOMETER_WEAKEN";

thread_local! {
    /// All threads of a model are one thread of the system.
    static PLACES: RefCell<Places> = RefCell::default();
}

/// What one model met.
#[derive(Default)]
pub(super) struct Places {
    weakened: Option<String>,
    met: BTreeSet<String>,
}

impl Places {
    /// Before a model runs.
    pub(super) fn begin() {
        let weakened = env::var(WEAKEN).ok();
        PLACES.set(Self { weakened, met: BTreeSet::new() });
    }

    /// The places with an order stronger than the weakest: file, line, column, and `failure` where the order is
    /// that of a compare-and-swap that fails.
    pub(super) fn met() -> BTreeSet<String> {
        PLACES.take().met
    }

    /// The order of an operation at the caller's place, weakened if this is the place to weaken.
    #[track_caller]
    pub(super) fn order(order: Ordering, suffix: &str) -> Ordering {
        if order == Relaxed {
            return order;
        }
        let place = format!("{}{suffix}", Location::caller());
        PLACES.with_borrow_mut(|places| {
            let is_weakened = places.weakened.as_ref() == Some(&place);
            places.met.insert(place);
            if is_weakened { Relaxed } else { order }
        })
    }
}
