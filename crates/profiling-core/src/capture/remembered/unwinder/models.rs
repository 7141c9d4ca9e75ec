use super::*;
use crate::sync::{AtomicBool, Model, Ordering::Relaxed, together};
use std::sync::Arc;

/// What two starts share, of which the second comes later.
struct Starts {
    unwinder: UnwinderOnce,
    /// Says that the first is over, and no more than that.
    is_later: AtomicBool,
}

#[test]
fn who_finds_an_unwinder_finds_what_it_knows() {
    Model::check(|| {
        let starts = Arc::new(Starts { unwinder: UnwinderOnce::new(), is_later: AtomicBool::new(false) });
        let first = |starts: &Starts| {
            assert_eq!(starts.unwinder.get().unwinding(), Unwinding::Rules);
            starts.is_later.store(true, Relaxed);
        };
        let second = |starts: &Starts| {
            if starts.is_later.load(Relaxed) {
                let knowledge = starts.unwinder.get().knowledge.unwrap();
                assert_eq!(knowledge.rules.get(1), None);
            }
        };
        together(&starts, [first, second]);
    });
}
