//! What a reader has to show of a profile, by what is in the profile.

use std::collections::{HashMap, HashSet};

use allometer_profile::{Location, Profile, SampleType};

/// Which functions of an inline chain a reader shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    All,
    Outermost,
    Innermost,
}

/// What a reader has to show.
#[derive(Debug)]
pub(super) struct Expected<'a> {
    pub(super) kind: SampleType,
    pub(super) total: f64,
    /// The functions that have something, and what of it they allocated themselves.
    pub(super) own: HashMap<&'a str, f64>,
    /// All functions, those included that only have something in another figure.
    pub(super) all: HashSet<&'a str>,
}

impl<'a> Expected<'a> {
    pub(super) fn of(profile: &'a Profile, kind: SampleType, chain: Chain) -> Self {
        let mut expected = Self { kind, total: 0.0, own: HashMap::new(), all: HashSet::new() };
        for sample in &profile.samples {
            let value = sample.figures.get(kind).rounded() as f64;
            let locations = sample.stack.iter().filter_map(|&index| profile.location(index));
            let names: Vec<&str> = locations.flat_map(|location| names(profile, location, chain)).collect();
            expected.total += value;
            expected.all.extend(&names);
            if value > 0.0 {
                for (position, name) in names.into_iter().enumerate() {
                    *expected.own.entry(name).or_default() += if position == 0 { value } else { 0.0 };
                }
            }
        }
        expected
    }
}

/// The names that are shown of a place, innermost first.
fn names<'a>(profile: &'a Profile, location: &Location, chain: Chain) -> Vec<&'a str> {
    let lines = match (chain, &*location.lines) {
        (Chain::Outermost, [.., last]) => std::slice::from_ref(last),
        (Chain::Innermost, [first, ..]) => std::slice::from_ref(first),
        (_, all) => all,
    };
    lines.iter().filter_map(|line| profile.function(line.function)).map(|function| &*function.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{
        Amount, Estimate, Figures, Function, FunctionIndex, Line, LocationIndex, Sample,
    };

    #[test]
    fn a_chain_is_shown_as_the_reader_does() {
        let line = |function| Line { function: FunctionIndex(function), line: 1 };
        let bytes = |value| Amount { bytes: Estimate::exact(value), ..Amount::default() };
        let sample = |live, stack: &[u32]| Sample {
            stack: stack.iter().map(|&index| LocationIndex(index)).collect(),
            figures: Figures { alloc: bytes(9.0), live: bytes(live) },
            ..Sample::default()
        };
        let profile = Profile {
            functions: ["inner", "outer", "main"]
                .map(|name| Function { name: name.to_owned(), ..Function::default() })
                .into(),
            locations: vec![
                Location { lines: vec![line(0), line(1)], ..Location::default() },
                Location { lines: vec![line(2)], ..Location::default() },
            ],
            samples: vec![sample(5.0, &[0, 1]), sample(0.0, &[1])],
            ..Profile::default()
        };
        let own = |kind, chain| {
            let expected = Expected::of(&profile, kind, chain);
            let mut own: Vec<_> = expected.own.into_iter().collect();
            own.sort_by(|a, b| a.0.cmp(b.0));
            (expected.total, own)
        };
        let live = SampleType::LiveBytes;
        assert_eq!(own(live, Chain::All), (5.0, vec![("inner", 5.0), ("main", 0.0), ("outer", 0.0)]));
        assert_eq!(own(live, Chain::Outermost), (5.0, vec![("main", 0.0), ("outer", 5.0)]));
        assert_eq!(
            own(SampleType::AllocBytes, Chain::Innermost),
            (18.0, vec![("inner", 9.0), ("main", 9.0)])
        );
    }
}
