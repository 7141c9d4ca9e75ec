//! Code whose requests are no part of a profile.

use std::{
    panic::{self, AssertUnwindSafe},
    thread,
};

use allometer_core::{measure_thread, unsampled};

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("unsampled::is_in_no_figure", is_in_no_figure),
    Check::new("unsampled::what_it_frees_is_taken_off", what_it_frees_is_taken_off),
    Check::new("unsampled::ends_with_a_panic_too", ends_with_a_panic_too),
    Check::new("unsampled::is_not_measured", is_not_measured),
];

#[inline(never)]
fn hidden(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn shown(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn resized(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

fn is_in_no_figure(_: &Subject) {
    let recording = Recording::exact();
    let (block, span) = recording.during(|| {
        let block = unsampled(|| {
            drop(unsampled(|| hidden(100)));
            resized(hidden(200), 300)
        });
        drop(shown(7));
        // One that is started there is no part of it.
        unsampled(|| thread::spawn(|| drop(shown(5))).join().unwrap());
        block
    });
    assert_eq!(span.at("unsampled::hidden"), Values::default());
    assert_eq!(span.at("unsampled::resized"), Values::default());
    assert_eq!(span.at("unsampled::shown"), Values::new((2, 12), (0, 0)));
    let block = resized(block, 400);
    assert_eq!(recording.so_far().at("unsampled::resized"), Values::new((1, 400), (1, 400)));
    unsampled(|| drop(block));
    assert_eq!(recording.so_far().at("unsampled::resized"), Values::new((1, 400), (0, 0)));
}

fn what_it_frees_is_taken_off(_: &Subject) {
    let recording = Recording::exact();
    let (freed, grown) = (shown(10), shown(20));
    assert_eq!(recording.so_far().at("unsampled::shown"), Values::new((2, 30), (2, 30)));
    let grown = unsampled(|| {
        drop(freed);
        resized(grown, 4000)
    });
    assert_eq!(recording.so_far().at("unsampled::shown"), Values::new((2, 30), (0, 0)));
    assert_eq!(recording.so_far().at("unsampled::resized"), Values::default());
    drop(grown);
}

fn ends_with_a_panic_too(_: &Subject) {
    let recording = Recording::exact();
    let panicking = || unsampled(|| panic::resume_unwind(Box::new(())));
    assert!(panic::catch_unwind(AssertUnwindSafe(panicking)).is_err());
    let (block, span) = recording.during(|| shown(30));
    assert_eq!(span.at("unsampled::shown"), Values::new((1, 30), (1, 30)));
    drop(block);
}

fn is_not_measured(_: &Subject) {
    let ((), usage) = measure_thread(|| drop(unsampled(|| hidden(100)))).expect("a measurement");
    assert_eq!((usage.allocations, usage.bytes), (0, 0));
}
