use super::*;
use crate::sync::{Model, together};
use std::sync::Arc;

fn set(hints: &Hints, index: usize) {
    for hint in [3, 12].map(Hint::new) {
        hints.set(index, hint);
        assert_eq!(hints.find(hint, |slot| slot == index), Some(index));
    }
}

#[test]
fn threads_set_the_hints_of_their_own_slots() {
    Model::check(|| {
        let hints = Arc::new(Hints::default());
        together(&hints, [|hints| set(hints, 0), |hints| set(hints, 1)]);
        let found = |index| hints.find(Hint::new(12), |slot| slot == index);
        assert_eq!((found(0), found(1)), (Some(0), Some(1)));
    });
}
