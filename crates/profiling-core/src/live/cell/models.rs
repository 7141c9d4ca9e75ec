use super::*;
use crate::sync::{Model, together};
use std::sync::Arc;

/// Counts one, looks, and takes it back.
fn come_and_go(cell: &Cell, number: u64) {
    let tag = Tag::new(number);
    cell.add(tag);
    assert!(cell.look().may_be(tag));
    cell.sub(tag);
}

#[test]
fn each_is_found_as_long_as_it_is_counted() {
    Model::check(|| {
        let cell = Arc::new(Cell::default());
        together(&cell, [|cell| come_and_go(cell, 5), |cell| come_and_go(cell, 9)]);
        assert!(cell.look().is_empty());
    });
}

#[test]
fn a_cell_that_fills_up_loses_nobody() {
    Model::check(|| {
        let cell = Arc::new(Cell::default());
        (0..5).for_each(|number| cell.add(Tag::new(number)));
        together(&cell, [|cell| come_and_go(cell, 5), |cell| come_and_go(cell, 9)]);
        (0..5).for_each(|number| {
            assert!(cell.look().may_be(Tag::new(number)));
            cell.sub(Tag::new(number));
        });
    });
}
