mod pairs;
mod table;

use allometer_profile::{Amount, Growth, Metadata, Profile};

use crate::significance;

/// What changed in the live heap from one profile to another: see [`diff`] and [`diff_by`].
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// The stacks or functions whose change is significant, the largest change first.
    pub rows: Vec<DiffRow>,
    /// The change of the whole live heap.
    pub total: Growth,
    /// How likely noise alone makes a change of the total at least as large.
    pub total_p_value: f64,
    /// How many others changed, by no more than noise explains.
    pub hidden: usize,
    /// The change of those together.
    pub hidden_growth: Growth,
    /// What the errors rest on.
    pub basis: Basis,
    /// What the rows are about.
    pub by: DiffBy,
    /// What the later profile says about itself.
    pub metadata: Metadata,
}

/// What the rows of a [`Diff`] are about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiffBy {
    /// Call stacks: where exactly something grew.
    #[default]
    Stack,
    /// Functions, with what they allocated themselves, by way of the standard library or not. What grew a little on each
    /// of many stacks is seen here, where all of them are one row.
    Function,
}

/// A call stack, or a function, and the change of what is live of it.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffRow {
    /// Names of the functions, leaf first, inlined ones included; or the one function.
    pub stack: Vec<String>,
    /// The innermost functions that are not of the standard library; or the one function.
    pub place: String,
    /// Live in the earlier profile.
    pub before: Amount,
    /// Live in the later profile.
    pub after: Amount,
    /// From the one to the other.
    pub growth: Growth,
    /// How likely noise alone makes a change at least as large.
    pub p_value: f64,
}

/// What the standard error of a change rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Both profiles are of one session and carry their live samples: those that are live in both are no noise.
    SharedSamples,
    /// Nothing is known of what the two share, so they are taken as independent. The true noise is smaller.
    AssumedIndependent,
}

/// The share of the rows of a [`Diff`] that may be noise: at most so many of them, on average.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;

/// What changed in the live heap from `before` to `after`, by call stack: [`diff_by`] for [`DiffBy::Stack`].
pub fn diff(before: &Profile, after: &Profile) -> Diff {
    diff_by(before, after, DiffBy::Stack)
}

/// What changed in the live heap from `before` to `after`: the stacks or functions whose change is more than the noise of
/// sampling explains. Displayed, it is a table.
///
/// Many of them are looked at, so a fixed limit for each would call some of them changed by chance. The limit is
/// chosen so that of the rows that are shown, a share of [`FALSE_DISCOVERY_RATE`] at most is expected to be
/// noise. What is not shown is summed up.
///
/// Where both profiles come from one session, they carry the samples behind their figures, in files too, and what is live
/// in both cancels. Other profiles are compared as if they were independent; where a file has no errors, they are
/// [assumed](Profile::with_assumed_errors).
pub fn diff_by(before: &Profile, after: &Profile, by: DiffBy) -> Diff {
    let basis = pairs::basis(before, after);
    let [before, after] = [before, after].map(Profile::with_assumed_errors);
    let changed = pairs::of(&before, &after, basis, by);
    let p_values: Vec<f64> = changed.iter().map(|pair| significance::p_value(&pair.growth)).collect();
    let limit = significance::threshold(p_values.iter().copied(), FALSE_DISCOVERY_RATE);
    let (mut total, mut hidden_growth) = (Growth::default(), Growth::default());
    let mut rows = Vec::new();
    let sites = changed.len();
    for (pair, p_value) in changed.into_iter().zip(p_values) {
        total += pair.growth;
        if limit.is_some_and(|limit| p_value <= limit) {
            rows.push(pair.into_row(p_value));
        } else {
            hidden_growth += pair.growth;
        }
    }
    let size = |row: &DiffRow| row.growth.amount.bytes.value.abs();
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)).then_with(|| a.stack.cmp(&b.stack)));
    Diff {
        hidden: sites - rows.len(),
        rows,
        total,
        total_p_value: significance::p_value(&total),
        hidden_growth,
        basis,
        by,
        metadata: after.metadata.clone(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use allometer_profile::{Estimate, Figures, LiveObject, ProfileBuilder, RawFrame, Symbolizer};
    use std::time::Duration;

    /// Samples of 1 KiB at an interval of 1 MiB, born at these moments.
    fn objects(births: impl IntoIterator<Item = u64>) -> Vec<LiveObject> {
        let estimate = |value: f64| Estimate { value, variance: value * value };
        let amount = Amount { objects: estimate(1024.0), bytes: estimate((1 << 20) as f64) };
        let object = |birth| LiveObject { birth: Duration::from_nanos(birth), size: 1024, amount };
        births.into_iter().map(object).collect()
    }

    pub(crate) fn profile(session: Option<u64>, sites: &[(&'static str, Vec<u64>)]) -> Profile {
        let metadata = Metadata { session, live: true, sample_interval: 1 << 20, ..Metadata::default() };
        let mut builder = ProfileBuilder::new(metadata);
        for (name, births) in sites {
            let objects = objects(births.iter().copied());
            let live = objects.iter().fold(Amount::default(), |sum, object| sum + object.amount);
            let stack = [RawFrame::Marker(name), RawFrame::Marker("main")];
            let sample = builder.add(stack, Figures { live, ..Figures::default() });
            sample.live_objects = if session.is_some() { objects } else { Vec::new() };
        }
        builder.finish(&mut Symbolizer::new())
    }

    fn steady(from: u64) -> Vec<u64> {
        (from..from + 50).collect()
    }

    #[test]
    fn a_leak_is_found_and_a_steady_heap_is_not() {
        let leak = (0..30).collect();
        let before = profile(Some(7), &[("leak", Vec::new()), ("cache", steady(0)), ("pool", steady(100))]);
        // The cache replaced ten of its fifty, the pool none.
        let after = profile(Some(7), &[("leak", leak), ("cache", steady(10)), ("pool", steady(100))]);
        let diff = diff(&before, &after);
        assert_eq!(diff.basis, Basis::SharedSamples);
        let rows: Vec<&str> = diff.rows.iter().map(|row| &*row.place).collect();
        assert_eq!(rows, ["leak < main"]);
        let row = &diff.rows[0];
        assert_eq!((row.before.bytes.value, row.after.bytes.value), (0.0, 30.0 * 1_048_576.0));
        assert_eq!(row.growth.amount.bytes.variance, row.after.bytes.variance);
        assert_eq!(diff.hidden, 1, "the pool did not change at all");
        assert_eq!(diff.hidden_growth.amount.bytes.value, 0.0);
        assert_eq!(diff.total.amount.bytes.value, row.growth.amount.bytes.value);
    }

    #[test]
    fn independent_profiles_need_more() {
        let before = profile(None, &[("leak", (0..100).collect())]);
        let after = profile(None, &[("leak", (0..125).collect())]);
        let apart = diff(&before, &after);
        assert_eq!((apart.basis, apart.rows.len(), apart.hidden), (Basis::AssumedIndependent, 0, 1));
        // Twenty-five more of a hundred are less than two standard errors of the difference.
        let error = apart.hidden_growth.amount.bytes.standard_error() / 1_048_576.0;
        assert!((error - 225f64.sqrt()).abs() < 0.01, "{error}");
        let shared = |births| profile(Some(1), &[("leak", births)]);
        assert_eq!(diff(&shared((0..100).collect()), &shared((0..125).collect())).rows.len(), 1);
        let other = profile(Some(2), &[("leak", (0..125).collect())]);
        assert_eq!(diff(&shared((0..100).collect()), &other).basis, Basis::AssumedIndependent);
    }

    #[test]
    fn files_without_errors_are_compared_by_what_they_must_have_been() {
        let strip = |mut profile: Profile| {
            for sample in &mut profile.samples {
                let Amount { objects, bytes } = &mut sample.figures.live;
                (objects.variance, bytes.variance) = (0.0, 0.0);
            }
            profile
        };
        let before = profile(None, &[("leak", (0..100).collect())]);
        let after = profile(None, &[("leak", (0..200).collect())]);
        let (kept, read) = (diff(&before, &after), diff(&strip(before), &strip(after)));
        assert_eq!((kept.rows.len(), read.rows.len()), (1, 1));
        let error = |diff: &Diff| diff.rows[0].growth.amount.bytes.standard_error();
        assert!((error(&kept) / error(&read) - 1.0).abs() < 0.01, "{} {}", error(&kept), error(&read));
    }

    #[test]
    fn what_grew_a_little_on_many_stacks_is_seen_by_function() {
        // Two samples on each of twenty stacks: none of them is significant.
        let requests = [
            "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
            "t",
        ];
        let metadata =
            Metadata { session: Some(7), live: true, sample_interval: 1 << 20, ..Metadata::default() };
        let mut builder = ProfileBuilder::new(metadata.clone());
        for (at, name) in (0..).zip(requests) {
            let objects = objects([2 * at, 2 * at + 1]);
            let live = objects.iter().fold(Amount::default(), |sum, object| sum + object.amount);
            let stack = ["alloc::vec::push", "cache", name].map(RawFrame::Marker);
            builder.add(stack, Figures { live, ..Figures::default() }).live_objects = objects;
        }
        let after = builder.finish(&mut Symbolizer::new());
        let before = ProfileBuilder::new(metadata).finish(&mut Symbolizer::new());
        let by_stack = diff(&before, &after);
        assert_eq!((by_stack.rows.len(), by_stack.hidden), (0, 20));
        let by_function = diff_by(&before, &after, DiffBy::Function);
        let [row] = &*by_function.rows else { panic!("{:?}", by_function.rows) };
        assert_eq!((&*row.place, &*row.stack), ("cache", &["cache".to_owned()][..]));
        assert_eq!(row.growth.amount, by_stack.hidden_growth.amount);
    }

    #[test]
    fn what_is_gone_has_shrunk() {
        let before = profile(Some(7), &[("cache", steady(0))]);
        let diff = diff(&before, &profile(Some(7), &[]));
        assert_eq!(diff.rows[0].growth.amount.objects.value, -50.0 * 1024.0);
        assert!(diff.total_p_value < 1e-6);
    }
}
