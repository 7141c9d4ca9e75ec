//! Start, stop, and what is left then.

use allometer_profile::{SourceError, Symbolizer};

use super::{
    Check, Subject, blocks,
    figures::{at, expect},
};
use crate::Block;

pub(super) const CHECKS: &[Check] = &[
    Check::new("life_cycle::one_runs_at_a_time", one_runs_at_a_time),
    Check::new("life_cycle::a_source_says_that_it_is_over", a_source_says_that_it_is_over),
    Check::new("life_cycle::another_start_is_a_fresh_one", another_start_is_a_fresh_one),
    Check::new("life_cycle::moments_of_two_sessions_do_not_mix", moments_of_two_sessions_do_not_mix),
];

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

fn one_runs_at_a_time(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    assert!(switch.source().is_none());
    assert!(matches!(switch.stop(), Err(SourceError::Inactive)));
    switch.start(None).unwrap();
    assert!(matches!(switch.start(None), Err(SourceError::AlreadyActive)));
    assert!(switch.source().unwrap().is_active());
    switch.stop().unwrap();
    assert!(matches!(switch.stop(), Err(SourceError::Inactive)));
    assert!(matches!(switch.check(0), Err(SourceError::Interval { interval: 0, .. })));
    assert!(matches!(switch.start(Some(0)), Err(SourceError::Interval { .. })));
    switch.check(1 << 16).unwrap();
    switch.start(Some(1 << 16)).unwrap();
    let moment = switch.source().unwrap().moment().unwrap();
    assert_eq!(moment.metadata().sample_interval, 1 << 16);
}

fn a_source_says_that_it_is_over(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    switch.start(None).unwrap();
    let source = switch.source().unwrap();
    let all = blocks(10_000, 1024, made);
    let (moment, stats) = (source.moment().unwrap(), source.stats());
    assert!(stats.is_ok() && source.provider_figures().is_ok());
    switch.stop().unwrap();
    assert!(!source.is_active());
    let is_over = |error: SourceError| matches!(error, SourceError::Inactive);
    assert!(is_over(source.moment().unwrap_err()) && is_over(source.stats().unwrap_err()));
    assert!(is_over(source.provider_figures().unwrap_err()) && is_over(source.purge().unwrap_err()));
    // What was taken stays.
    let profile = moment.profile(&mut Symbolizer::new());
    expect(known, at(&profile, "life_cycle::made").live, profile.metadata.sample_interval, 10_000, 1024);
    drop(all);
    // Also where another one runs.
    switch.start(None).unwrap();
    assert!(!source.is_active() && is_over(source.moment().unwrap_err()));
}

fn another_start_is_a_fresh_one(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    const OBJECTS: usize = 10_000;
    const SIZE: usize = 1024;
    let mut before = blocks(OBJECTS, SIZE, made);
    for _ in 0..3 {
        switch.start(None).unwrap();
        let source = switch.source().unwrap();
        let profile = source.moment().unwrap().profile(&mut Symbolizer::new());
        let interval = profile.metadata.sample_interval;
        let nothing = at(&profile, "life_cycle::made");
        assert_eq!((nothing.alloc.bytes.value, nothing.live.bytes.value), (0.0, 0.0));
        let during = blocks(OBJECTS, SIZE, made);
        // Of an earlier session, or of none.
        drop(before);
        let profile = source.moment().unwrap().profile(&mut Symbolizer::new());
        expect(known, at(&profile, "life_cycle::made").alloc, interval, OBJECTS, SIZE);
        expect(known, at(&profile, "life_cycle::made").live, interval, OBJECTS, SIZE);
        // Some are freed while nothing runs, and some in the next session.
        let kept = during.into_iter().step_by(2).collect();
        switch.stop().unwrap();
        before = kept;
        before.extend(blocks(OBJECTS, SIZE, made));
    }
}

fn moments_of_two_sessions_do_not_mix(subject: &Subject<'_>) {
    let Subject { switch, .. } = *subject;
    let take = || {
        switch.start(None).unwrap();
        let source = switch.source().unwrap();
        let moments = [(); 2].map(|()| source.moment().unwrap());
        switch.stop().unwrap();
        moments
    };
    let [first, second] = take();
    let [other, _] = take();
    assert!(first.session() == second.session() && first.session() != other.session());
    let since = |later: &dyn allometer_profile::Moment, earlier| {
        later.profile_since(earlier, &mut Symbolizer::new()).map(drop)
    };
    assert!(since(&*second, &*first).is_ok());
    assert!(matches!(since(&*first, &*second), Err(SourceError::WrongOrder)));
    assert!(matches!(since(&*other, &*first), Err(SourceError::OtherSession)));
    assert!(matches!(since(&*second, &*other), Err(SourceError::OtherSession)));
}
