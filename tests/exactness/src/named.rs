//! What a profile says of one function before it is encoded: figures that are not rounded, with their
//! variances, and the live samples.

use allometer_profile::{Figures, LiveObject, Profile, Sample};

/// The samples whose stack holds the function with the path that ends in `function`.
fn samples<'a>(profile: &'a Profile, function: &str) -> impl Iterator<Item = &'a Sample> {
    let is_it = move |name: &str| {
        name.strip_suffix(function).is_some_and(|path| path.is_empty() || path.ends_with("::"))
    };
    let holds = move |sample: &Sample| {
        let locations = sample.stack.iter().filter_map(|&index| profile.location(index));
        let mut lines = locations.flat_map(|location| &location.lines);
        lines.any(|line| profile.function(line.function).is_some_and(|function| is_it(&function.name)))
    };
    profile.samples.iter().filter(move |sample| holds(sample))
}

/// Allocated and live at `function`.
pub(crate) fn figures(profile: &Profile, function: &str) -> Figures {
    samples(profile, function).map(|sample| sample.figures).sum()
}

/// The live samples at `function`.
pub(crate) fn live_objects(profile: &Profile, function: &str) -> Vec<LiveObject> {
    samples(profile, function).flat_map(|sample| sample.live_objects.iter().copied()).collect()
}
