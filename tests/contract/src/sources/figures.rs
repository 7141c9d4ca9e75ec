//! Figures, by site.

use allometer_profile::{Amount, Profile, Symbolizer};

use super::{Check, Known, Subject, blocks};
use crate::Block;

pub(super) const CHECKS: &[Check] = &[
    Check::new(
        "figures::allocated_and_live_are_told_apart_by_site",
        allocated_and_live_are_told_apart_by_site,
    ),
    Check::new("figures::small_and_large_objects_are_both_right", small_and_large_objects_are_both_right),
    Check::new("figures::a_span_has_what_was_allocated_in_it", a_span_has_what_was_allocated_in_it),
    Check::new("figures::totals_are_those_of_the_profile", totals_are_those_of_the_profile),
];

/// Standard errors that an estimate may be off: 1 in 1 700 000 is further. Not all sources can be given a seed.
const ERRORS: f64 = 5.0;

/// What a profile says of the stacks through a function, with its errors.
pub(super) fn at(profile: &Profile, function: &str) -> allometer_profile::Figures {
    let profile = profile.with_assumed_errors();
    let is_it = |name: &str| name.ends_with(function);
    let through = profile.samples.iter().filter(|sample| {
        let mut locations = sample.stack.iter().filter_map(|&index| profile.location(index));
        locations.any(|location| {
            let mut functions = location.lines.iter().filter_map(|line| profile.function(line.function));
            functions.any(|function| is_it(&function.name))
        })
    });
    through.map(|sample| sample.figures).sum()
}

/// Whether it is so many objects of a size, within the errors that these have at the profile's interval.
#[track_caller]
pub(super) fn expect(known: Known, amount: Amount, interval: u64, objects: usize, size: usize) {
    let p = -(-(size as f64) / interval as f64).exp_m1();
    // Half a sample more, for sources that round to whole ones.
    let error = ERRORS * (objects as f64 * (1.0 - p) / p).sqrt() + 0.5 / p + known.bias * objects as f64;
    let off = |value: f64, unit: f64| (value / unit - objects as f64).abs() <= error;
    assert!(
        off(amount.objects.value, 1.0) && off(amount.bytes.value, size as f64),
        "{amount:?}: expected {objects} objects of {size} bytes, within {error} of them"
    );
}

#[inline(never)]
fn kept(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn freed(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

fn allocated_and_live_are_told_apart_by_site(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    const OBJECTS: usize = 40_000;
    const SIZE: usize = 1024;
    switch.start(None).unwrap();
    let source = switch.source().unwrap();
    let mut all = blocks(OBJECTS, SIZE, kept);
    drop(blocks(OBJECTS, SIZE, freed));
    let profile = source.moment().unwrap().profile(&mut Symbolizer::new());
    let interval = profile.metadata.sample_interval;
    expect(known, at(&profile, "figures::kept").alloc, interval, OBJECTS, SIZE);
    expect(known, at(&profile, "figures::kept").live, interval, OBJECTS, SIZE);
    expect(known, at(&profile, "figures::freed").alloc, interval, OBJECTS, SIZE);
    expect(known, at(&profile, "figures::freed").live, interval, 0, SIZE);
    // Half of them, elsewhere.
    let half = all.split_off(OBJECTS / 2);
    std::thread::spawn(move || drop(half)).join().unwrap();
    let profile = source.moment().unwrap().profile(&mut Symbolizer::new());
    expect(known, at(&profile, "figures::kept").live, interval, OBJECTS / 2, SIZE);
    drop(all);
    let profile = source.moment().unwrap().profile(&mut Symbolizer::new());
    expect(known, at(&profile, "figures::kept").live, interval, 0, SIZE);
}

fn small_and_large_objects_are_both_right(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    for (objects, size) in [(400_000, 64), (20_000, 4096), (2000, 1 << 16), (60, 4 << 20)] {
        // Afresh: the sizes are at one stack, and a source may keep no more of it than sums.
        switch.start(None).unwrap();
        let all = blocks(objects, size, kept);
        let profile = switch.source().unwrap().moment().unwrap().profile(&mut Symbolizer::new());
        let interval = profile.metadata.sample_interval;
        expect(known, at(&profile, "figures::kept").alloc, interval, objects, size);
        expect(known, at(&profile, "figures::kept").live, interval, objects, size);
        switch.stop().unwrap();
        drop(all);
    }
}

fn a_span_has_what_was_allocated_in_it(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    const OBJECTS: usize = 20_000;
    const SIZE: usize = 1024;
    switch.start(None).unwrap();
    let source = switch.source().unwrap();
    let first = blocks(OBJECTS, SIZE, kept);
    let before = source.moment().unwrap();
    let second = blocks(OBJECTS, SIZE, kept);
    let after = source.moment().unwrap();
    drop(first);
    let span = after.profile_since(&*before, &mut Symbolizer::new()).unwrap();
    let interval = span.metadata.sample_interval;
    expect(known, at(&span, "figures::kept").alloc, interval, OBJECTS, SIZE);
    expect(known, at(&span, "figures::kept").live, interval, 2 * OBJECTS, SIZE);
    assert_eq!(span.metadata.duration, after.elapsed() - before.elapsed());
    let nothing = after.profile_since(&*after, &mut Symbolizer::new()).unwrap();
    assert_eq!(nothing.total().alloc.bytes.value, 0.0);
    expect(known, at(&nothing, "figures::kept").live, interval, 2 * OBJECTS, SIZE);
    drop(second);
}

fn totals_are_those_of_the_profile(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    switch.start(None).unwrap();
    let all = blocks(10_000, 1024, kept);
    let moment = switch.source().unwrap().moment().unwrap();
    let (totals, profile) = (moment.totals(), moment.profile(&mut Symbolizer::new()));
    let of_profile = profile.with_assumed_errors().total();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(1.0);
    for (amount, other) in [(totals.alloc, of_profile.alloc), (totals.live, of_profile.live)] {
        assert!(
            near(amount.objects.value, other.objects.value) && near(amount.bytes.value, other.bytes.value)
        );
        assert!(near(amount.bytes.variance, other.bytes.variance), "{amount:?} {other:?}");
    }
    assert!(totals.live.bytes.value > 0.0 && moment.memory() > 0);
    drop(all);
}
