use std::time::{Duration, SystemTime};

use allometer_profile::{Amount, Estimate, LiveObject, Profile, growth};

/// What lies between two readings of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// The time between the moments that the two are of, by their own clocks.
    pub(crate) time: Elapsed,
    /// By how much the live heap grew.
    pub(crate) growth: Amount,
    /// Bytes allocated in a second.
    pub(crate) rate: Rate,
}

/// The time between two profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elapsed {
    /// There is none before, or it is of another session.
    Begin,
    /// It is the same profile.
    Same,
    /// So much later, which is not zero.
    After(Duration),
    /// They do not say when they were made.
    Unknown,
}

/// What was allocated in a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rate {
    /// Bytes a second.
    Known(Estimate),
    /// One reading alone does not say it.
    NotYet,
    /// It is the same profile as before.
    Same,
    /// The profiles do not have what it takes: times, or what was allocated.
    Unknown,
}

impl Change {
    pub(super) fn between(before: Option<&Profile>, after: &Profile) -> Self {
        let time = before.map_or(Elapsed::Begin, |before| elapsed(before, after));
        let rate = match (before, time) {
            _ if after.total().alloc.bytes.value <= 0.0 => Rate::Unknown,
            (_, Elapsed::Same) => Rate::Same,
            (Some(before), _) if is_span_of_its_own(before, after) => {
                over(after.total().alloc.bytes, after.metadata.duration)
            }
            (None, _) | (_, Elapsed::Begin) => Rate::NotYet,
            (_, Elapsed::Unknown) => Rate::Unknown,
            (Some(before), Elapsed::After(time)) => {
                let (before, after) = (before.total().alloc.bytes, after.total().alloc.bytes);
                // What was allocated in between is independent of what was before, and the variances add up.
                let variance = (after.variance - before.variance).max(0.0);
                over(Estimate { value: after.value - before.value, variance }, time)
            }
        };
        Self { time, growth: before.map_or(Amount::default(), |before| grown(before, after)), rate }
    }
}

fn over(bytes: Estimate, time: Duration) -> Rate {
    let seconds = time.as_secs_f64();
    if bytes.value < 0.0 || seconds <= 0.0 {
        return Rate::Unknown;
    }
    Rate::Known(Estimate { value: bytes.value / seconds, variance: bytes.variance / (seconds * seconds) })
}

fn elapsed(before: &Profile, after: &Profile) -> Elapsed {
    let (old, new) = (&before.metadata, &after.metadata);
    let time = match (old.session, new.session) {
        (Some(one), Some(other)) if one != other => return Elapsed::Begin,
        (Some(_), Some(_)) => new.elapsed.checked_sub(old.elapsed),
        _ => match (end(before), end(after)) {
            (Some(old), Some(new)) => new.duration_since(old).ok(),
            _ if before.total() == after.total() => Some(Duration::ZERO),
            _ => return Elapsed::Unknown,
        },
    };
    match time {
        // Back in time: another process, or an older file.
        None => Elapsed::Begin,
        Some(Duration::ZERO) => Elapsed::Same,
        Some(time) => Elapsed::After(time),
    }
}

fn end(profile: &Profile) -> Option<SystemTime> {
    profile.metadata.start?.checked_add(profile.metadata.duration)
}

/// Whether what the later profile says was allocated is of a span that begins where the earlier one ends, or later, and not
/// since the same moment as in the earlier one.
fn is_span_of_its_own(before: &Profile, after: &Profile) -> bool {
    let begins_later =
        matches!((end(before), after.metadata.start), (Some(end), Some(start)) if start >= end);
    begins_later && !after.metadata.duration.is_zero()
}

/// What is live in both profiles of one session is no noise.
fn grown(before: &Profile, after: &Profile) -> Amount {
    let objects = |profile: &Profile| -> Vec<LiveObject> {
        profile.samples.iter().flat_map(|sample| &sample.live_objects).copied().collect()
    };
    let is_same_session =
        before.metadata.session.is_some() && before.metadata.session == after.metadata.session;
    let (old, new) = (objects(before), objects(after));
    if !is_same_session || old.is_empty() && new.is_empty() {
        return after.total().live - before.total().live;
    }
    growth(&old, &new).amount
}

#[cfg(test)]
mod tests;
