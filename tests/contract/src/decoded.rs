//! What a pprof says.

use std::{collections::HashMap, iter::Sum, ops::AddAssign};

use prost::Message;

use crate::pprof::Profile;

/// The four values of a heap sample, or a sum of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Objects allocated in the span.
    pub alloc_objects: i64,
    /// Bytes allocated in the span.
    pub alloc_bytes: i64,
    /// Objects live at its end.
    pub live_objects: i64,
    /// Bytes live at its end.
    pub live_bytes: i64,
}

impl Values {
    /// Allocated objects and bytes, then live objects and bytes.
    pub const fn new(alloc: (i64, i64), live: (i64, i64)) -> Self {
        Self { alloc_objects: alloc.0, alloc_bytes: alloc.1, live_objects: live.0, live_bytes: live.1 }
    }
}

impl AddAssign for Values {
    fn add_assign(&mut self, other: Self) {
        self.alloc_objects += other.alloc_objects;
        self.alloc_bytes += other.alloc_bytes;
        self.live_objects += other.live_objects;
        self.live_bytes += other.live_bytes;
    }
}

impl Sum for Values {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::default(), |mut sum, values| {
            sum += values;
            sum
        })
    }
}

/// A stack with its values.
#[derive(Debug)]
struct Sample {
    /// The names of its functions, the leaf's innermost first.
    stack: Vec<String>,
    tag: Option<String>,
    values: Values,
}

/// A profile read back from its pprof.
#[derive(Debug)]
pub struct Decoded {
    samples: Vec<Sample>,
    comments: Vec<String>,
    period: i64,
}

impl Decoded {
    /// Reads an uncompressed pprof of a heap profile.
    ///
    /// Panics at anything that the format does not allow or that a heap profile of ours does not have.
    pub fn new(pprof: &[u8]) -> Self {
        let profile = Profile::decode(pprof).expect("a pprof");
        let string = |index: i64| profile.string_table[usize::try_from(index).unwrap()].clone();
        let types = profile.sample_type.iter().map(|t| (string(t.r#type), string(t.unit)));
        let expected = [("alloc_objects", "count"), ("alloc_space", "bytes")]
            .into_iter()
            .chain([("inuse_objects", "count"), ("inuse_space", "bytes")]);
        assert!(types.eq(expected.map(|(name, unit)| (name.to_owned(), unit.to_owned()))));
        let functions: HashMap<u64, String> =
            profile.function.iter().map(|function| (function.id, string(function.name))).collect();
        let locations: HashMap<u64, Vec<String>> = profile
            .location
            .iter()
            .map(|location| {
                let names = location.line.iter().map(|line| functions[&line.function_id].clone());
                (location.id, names.collect())
            })
            .collect();
        let samples = profile.sample.iter().map(|sample| {
            let stack = sample.location_id.iter().flat_map(|id| locations[id].clone()).collect();
            let &[alloc_objects, alloc_bytes, live_objects, live_bytes] = sample.value.as_slice() else {
                panic!("{} values", sample.value.len());
            };
            assert!(sample.value.iter().all(|&value| value >= 0), "{:?}", sample.value);
            let labels: Vec<_> =
                sample.label.iter().map(|label| (string(label.key), string(label.str))).collect();
            let tag = match &*labels {
                [] => None,
                [(key, tag)] if key == "tag" => Some(tag.clone()),
                other => panic!("labels: {other:?}"),
            };
            Sample { stack, tag, values: Values { alloc_objects, alloc_bytes, live_objects, live_bytes } }
        });
        Self {
            samples: samples.collect(),
            comments: profile.comment.iter().map(|&index| string(index)).collect(),
            period: profile.period,
        }
    }

    /// The sum over the samples whose stack holds the function with the path that ends in `function`.
    pub fn at(&self, function: &str) -> Values {
        self.samples_with(function).map(|sample| sample.values).sum()
    }

    /// Of these, the sum over the samples with this tag, or without one.
    pub fn at_with_tag(&self, function: &str, tag: Option<&str>) -> Values {
        let samples = self.samples_with(function).filter(|sample| sample.tag.as_deref() == tag);
        samples.map(|sample| sample.values).sum()
    }

    /// The sum over all samples.
    pub fn total(&self) -> Values {
        self.at("")
    }

    /// The names of the functions on each stack that holds `function`, the leaf's innermost first.
    pub(crate) fn stacks(&self, function: &str) -> impl Iterator<Item = &[String]> {
        self.samples_with(function).map(|sample| sample.stack.as_slice())
    }

    /// What the profile says about itself.
    pub fn comments(&self) -> &[String] {
        &self.comments
    }

    /// The sample interval, in bytes.
    pub fn period(&self) -> i64 {
        self.period
    }

    fn samples_with(&self, function: &str) -> impl Iterator<Item = &Sample> {
        let is_it = move |name: &String| {
            name.strip_suffix(function).is_some_and(|path| path.is_empty() || path.ends_with("::"))
        };
        self.samples.iter().filter(move |sample| function.is_empty() || sample.stack.iter().any(is_it))
    }
}
