use super::*;
use crate::sync::{Model, together};
use std::sync::Arc;

#[test]
fn a_reader_never_sees_a_total_that_never_was() {
    // Just below where `low` wraps, and `high` is owed.
    const BEFORE: u128 = (1 << 64) - 1;
    const MORE: [u128; 2] = [1, 1 << 61];
    Model::check(|| {
        let counter = Arc::new(Wide::default());
        counter.add(BEFORE);
        let [.., seen] = together(
            &counter,
            [
                |counter| {
                    counter.add(MORE[0]);
                    BEFORE
                },
                |counter| {
                    counter.add(MORE[1]);
                    BEFORE
                },
                Wide::load,
            ],
        );
        assert!([0, MORE[0], MORE[1], MORE[0] + MORE[1]].contains(&(seen - BEFORE)), "{seen}");
        assert_eq!(counter.load(), BEFORE + MORE[0] + MORE[1]);
    });
}

#[test]
fn what_is_taken_back_never_reads_as_less_than_nothing() {
    const AMOUNT: u128 = 1 << 48;
    Model::check(|| {
        let counter = Arc::new(Wide::default());
        counter.add(AMOUNT);
        let [_, seen] = together(
            &counter,
            [
                |counter| {
                    counter.sub(AMOUNT);
                    counter.add(3);
                    0
                },
                Wide::load,
            ],
        );
        assert!([AMOUNT, 0, 3].contains(&seen), "{seen}");
        assert_eq!(counter.load(), 3);
    });
}
