use std::time::UNIX_EPOCH;

use super::*;
use allometer_profile::{Figures, Metadata, Sample};

fn estimate(value: f64, error: f64) -> Estimate {
    Estimate { value, variance: error * error }
}

/// A profile that ends at so many seconds, with what was allocated since `start`.
fn profile(session: Option<u64>, start: u64, end: u64, alloc: Estimate) -> Profile {
    let alloc = Amount { bytes: alloc, ..Amount::default() };
    let figures = Figures { alloc, live: alloc };
    let metadata = Metadata {
        session,
        start: Some(UNIX_EPOCH + Duration::from_secs(1000 + start)),
        duration: Duration::from_secs(end - start),
        elapsed: Duration::from_secs(end),
        live: true,
        ..Metadata::default()
    };
    Profile { metadata, samples: vec![Sample { figures, ..Sample::default() }], ..Profile::default() }
}

fn change(before: &Profile, after: &Profile) -> (Elapsed, Rate) {
    let change = Change::between(Some(before), after);
    (change.time, change.rate)
}

#[test]
fn the_rate_is_what_came_in_between_by_the_time_of_the_profiles() {
    let [early, late] = [(10, 3000.0, 30.0), (14, 5000.0, 50.0)]
        .map(|(end, bytes, error)| profile(Some(7), 0, end, estimate(bytes, error)));
    let expected = Rate::Known(estimate(500.0, 10.0));
    assert_eq!(change(&early, &late), (Elapsed::After(Duration::from_secs(4)), expected));
    assert_eq!(Change::between(None, &early).rate, Rate::NotYet);
    assert_eq!(change(&late, &late), (Elapsed::Same, Rate::Same));
    assert_eq!(change(&late, &early).0, Elapsed::Begin, "an older file");
}

#[test]
fn other_writers_have_the_moment_alone() {
    // Go's heap profiles: cumulative, a moment, no length.
    let at = |end, bytes| profile(None, end, end, estimate(bytes, 0.0));
    let expected = Rate::Known(estimate(100.0, 0.0));
    assert_eq!(change(&at(3, 1000.0), &at(8, 1500.0)), (Elapsed::After(Duration::from_secs(5)), expected));
    assert_eq!(change(&at(3, 1000.0), &at(8, 10.0)).1, Rate::Unknown, "a process that was started again");
    let timeless = |bytes| {
        let mut profile = at(0, bytes);
        profile.metadata.start = None;
        profile
    };
    assert_eq!(change(&timeless(1.0), &timeless(2.0)), (Elapsed::Unknown, Rate::Unknown));
    assert_eq!(change(&timeless(1.0), &timeless(1.0)), (Elapsed::Same, Rate::Same));
    assert_eq!(change(&at(3, 0.0), &at(8, 0.0)).1, Rate::Unknown, "live objects alone were recorded");
}

#[test]
fn a_span_has_a_rate_of_its_own() {
    let reports = [(0, 10, 1000.0), (10, 15, 50.0)]
        .map(|(start, end, bytes)| profile(Some(7), start, end, estimate(bytes, 5.0)));
    // By the session's age, for the second span is shorter than the first.
    let expected = (Elapsed::After(Duration::from_secs(5)), Rate::Known(estimate(10.0, 1.0)));
    assert_eq!(change(&reports[0], &reports[1]), expected);
}

#[test]
fn another_session_begins_anew() {
    let [one, other] = [7, 8].map(|session| profile(Some(session), 0, 10, estimate(1000.0, 0.0)));
    assert_eq!(change(&one, &other), (Elapsed::Begin, Rate::NotYet));
}

#[test]
fn growth_knows_what_two_profiles_share() {
    let object = |birth| LiveObject {
        birth: Duration::from_secs(birth),
        size: 64,
        amount: Amount { objects: estimate(1.0, 1.0), bytes: estimate(64.0, 64.0) },
    };
    let with = |session, objects: &[LiveObject]| {
        let mut profile = profile(session, 0, 10, estimate(64.0 * objects.len() as f64, 64.0));
        profile.samples[0].live_objects = objects.to_vec();
        profile
    };
    let growth = |session| {
        let [before, after] = [vec![object(1)], vec![object(1), object(2)]].map(|them| with(session, &them));
        Change::between(Some(&before), &after).growth.bytes
    };
    assert_eq!(growth(Some(7)), estimate(64.0, 64.0));
    assert_eq!(growth(None), Estimate { value: 64.0, variance: 2.0 * 64.0 * 64.0 });
}
