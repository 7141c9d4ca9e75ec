//! Reports, beside each other and beside the program.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use allometer_core::Error;

use crate::{Block, Check, Decoded, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("readers::reports_follow_each_other_without_gap", reports_follow_each_other_without_gap),
    Check::new("readers::the_first_report_goes_back_to_the_start", the_first_report_goes_back_to_the_start),
    Check::new("readers::values_under_churn_are_never_negative", values_under_churn_are_never_negative),
    Check::new("readers::two_do_not_disturb_each_other", two_do_not_disturb_each_other),
    Check::new("readers::a_clone_starts_afresh", a_clone_starts_afresh),
    Check::new("readers::a_report_begins_where_it_is_told_to", a_report_begins_where_it_is_told_to),
    Check::new("readers::concurrent_reports_add_up", concurrent_reports_add_up),
    Check::new("readers::reading_does_not_show_in_the_profile", reading_does_not_show_in_the_profile),
];

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

fn at_made(report: Result<Vec<u8>, Error>) -> Values {
    Decoded::new(&report.unwrap()).at("readers::made")
}

fn reports_follow_each_other_without_gap(_: &Subject) {
    let mut recording = Recording::exact();
    let first = made(100);
    assert_eq!(at_made(recording.report()), Values::new((1, 100), (1, 100)));
    assert_eq!(at_made(recording.report()), Values::new((0, 0), (1, 100)));
    let second = made(11);
    drop(first);
    assert_eq!(at_made(recording.report()), Values::new((1, 11), (1, 11)));
    drop(second);
    assert_eq!(at_made(recording.report()), Values::default());
}

fn the_first_report_goes_back_to_the_start(_: &Subject) {
    let recording = Recording::start(allometer_core::Config::default().seed(5));
    let kept: Vec<_> = (0..64).map(|_| made(1 << 20)).collect();
    let mut late = recording.reader();
    // p = 0.865: the error of 64 MiB is 3.2 MiB; four of them.
    let live = at_made(late.report()).live_bytes >> 20;
    assert!((51..=77).contains(&live), "{live} MiB");
    drop(kept);
}

fn values_under_churn_are_never_negative(_: &Subject) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for thread in 0..8 {
            let stop = &stop;
            scope.spawn(move || {
                let mut window: Vec<Block> = Vec::new();
                let mut turn = thread;
                while !stop.load(Ordering::Relaxed) {
                    turn = (turn * 5 + 1) % 64;
                    if window.len() <= turn {
                        window.push(made(100 * turn + 1));
                    } else {
                        window.swap_remove(turn);
                    }
                }
            });
        }
        let read = |_| {
            let mut recording = Recording::start(allometer_core::Config::default().sample_interval(512));
            // Reading a profile back panics at a negative value.
            let mut reports = (0..5).map(|_| at_made(recording.report()));
            assert!(reports.all(|values| values.alloc_bytes >= values.alloc_objects));
        };
        let outcome = std::panic::catch_unwind(|| (0..10).for_each(read));
        stop.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

fn two_do_not_disturb_each_other(_: &Subject) {
    let mut recording = Recording::exact();
    let (mut often, mut seldom) = (recording.reader(), recording.reader());
    let mut blocks = Vec::new();
    for round in 1..=5 {
        blocks.push(made(round));
        let size = round as i64;
        let live = (size, size * (size + 1) / 2);
        assert_eq!(at_made(often.report()), Values::new((1, size), live));
    }
    assert_eq!(at_made(seldom.report()), Values::new((5, 15), (5, 15)));
    assert_eq!(at_made(recording.report()), Values::new((5, 15), (5, 15)));
    drop(blocks);
    for report in [often.report(), seldom.report(), recording.report()] {
        assert_eq!(at_made(report), Values::default());
    }
}

fn a_clone_starts_afresh(_: &Subject) {
    let recording = Recording::exact();
    let mut original = recording.reader();
    let block = made(70);
    assert_eq!(at_made(original.report()), Values::new((1, 70), (1, 70)));
    // The clone has not reported yet; what the original has is not taken over.
    let mut clone = original.clone();
    assert_eq!(at_made(clone.report()), Values::new((1, 70), (1, 70)));
    assert_eq!(at_made(clone.report()), Values::new((0, 0), (1, 70)));
    drop(block);
}

fn a_report_begins_where_it_is_told_to(_: &Subject) {
    let mut recording = Recording::exact();
    let mut late = recording.reader();
    let before = made(70);
    late.begin_report().unwrap();
    let during = made(7);
    assert_eq!(at_made(late.report()), Values::new((1, 7), (2, 77)));
    drop(during);
    // Also where one has ended already.
    let between = made(11);
    late.begin_report().unwrap();
    assert_eq!(at_made(late.report()), Values::new((0, 0), (2, 81)));
    drop((before, between));
    recording.stop();
    assert_eq!(late.begin_report().unwrap_err(), Error::Inactive);
}

fn concurrent_reports_add_up(_: &Subject) {
    const ROUNDS: i64 = 20_000;
    let recording = Recording::exact();
    let done = AtomicBool::new(false);
    let sums: Vec<Values> = thread::scope(|scope| {
        let programs = [(); 3].map(|()| {
            scope.spawn(|| {
                (0..ROUNDS).for_each(|_| drop(made(90)));
            })
        });
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (mut reader, done) = (recording.reader(), &done);
                scope.spawn(move || {
                    let mut sum = Values::default();
                    // One report more after the program has ended.
                    while !done.load(Ordering::Acquire) {
                        add_allocated(&mut sum, at_made(reader.report()));
                    }
                    let last = at_made(reader.report());
                    assert_eq!((last.live_objects, last.live_bytes), (0, 0));
                    add_allocated(&mut sum, last);
                    sum
                })
            })
            .collect();
        for program in programs {
            program.join().unwrap();
        }
        done.store(true, Ordering::Release);
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert_eq!(sums, vec![Values::new((3 * ROUNDS, 3 * ROUNDS * 90), (0, 0)); 3]);

    /// Of each moment at most one block a thread is live, whatever was counted before and after it. What is
    /// under way in the three threads may be in one figure already and not in the other.
    fn add_allocated(sum: &mut Values, report: Values) {
        assert!((0..=3).contains(&report.live_objects), "{report:?}");
        let under_way = |objects: i64, bytes: i64| (objects * 90 - bytes).abs() <= 3 * 90;
        assert!(under_way(report.live_objects, report.live_bytes), "{report:?}");
        assert!(under_way(report.alloc_objects, report.alloc_bytes), "{report:?}");
        sum.alloc_objects += report.alloc_objects;
        sum.alloc_bytes += report.alloc_bytes;
    }
}

fn reading_does_not_show_in_the_profile(_: &Subject) {
    let recording = Recording::exact();
    let mut reader = recording.reader();
    let (_read, span) = recording
        .during(|| (reader.report().unwrap(), reader.snapshot().unwrap().profile(), reader.stats().unwrap()));
    for name in span.stacks("").flatten() {
        assert!(!name.contains("allometer_profile") && !name.contains("allometer_core"), "{name}");
    }
}
