use std::collections::BTreeMap;

use allometer_profile::{Amount, Growth, LiveObject, Profile, Sample, growth};

use super::{Basis, DiffBy, DiffRow};
use crate::frames;

/// A stack or a function in both profiles, by its names.
pub(super) struct Pair {
    stack: Vec<String>,
    place: String,
    before: Amount,
    after: Amount,
    pub(super) growth: Growth,
}

impl Pair {
    pub(super) fn into_row(self, p_value: f64) -> DiffRow {
        let Self { stack, place, before, after, growth } = self;
        DiffRow { stack, place, before, after, growth, p_value }
    }
}

/// Functions that name a place.
const FUNCTIONS: usize = 3;

pub(super) fn basis(before: &Profile, after: &Profile) -> Basis {
    let shared = before.metadata.session.is_some() && before.metadata.session == after.metadata.session;
    if shared { Basis::SharedSamples } else { Basis::AssumedIndependent }
}

/// What has live figures that differ, or may differ, between the two.
pub(super) fn of(before: &Profile, after: &Profile, basis: Basis, by: DiffBy) -> Vec<Pair> {
    let mut sides = BTreeMap::<Vec<String>, [Side; 2]>::new();
    for (side, profile) in [before, after].into_iter().enumerate() {
        for sample in &profile.samples {
            let mut stack: Vec<String> =
                frames::leaf_first(profile, sample).into_iter().map(|name| name.into_owned()).collect();
            let place = match by {
                DiffBy::Stack => frames::printable(&profile.place(sample, FUNCTIONS)).into_owned(),
                DiffBy::Function => {
                    stack = vec![stack.swap_remove(frames::owner(&stack))];
                    stack[0].clone()
                }
            };
            sides.entry(stack).or_default()[side].add(place, sample);
        }
    }
    let pair = |(stack, [before, after]): (Vec<String>, [Side; 2])| {
        let growth = match basis {
            Basis::SharedSamples => growth(&before.objects, &after.objects),
            Basis::AssumedIndependent => independent(&before, &after),
        };
        let place = if after.place.is_empty() { before.place } else { after.place };
        Pair { stack, place, before: before.live, after: after.live, growth }
    };
    let has_changed = |pair: &Pair| pair.growth != Growth::default();
    sides.into_iter().map(pair).filter(has_changed).collect()
}

/// One stack or function in one profile.
#[derive(Default)]
struct Side {
    place: String,
    live: Amount,
    /// As [`Growth::squares`], of the live bytes.
    squares: f64,
    objects: Vec<LiveObject>,
}

impl Side {
    fn add(&mut self, place: String, sample: &Sample) {
        let live = sample.figures.live;
        self.live = self.live + live;
        // So many equal samples have this mean and this variance: n w and n w², as long as few are picked.
        let samples = (live.bytes.value * live.bytes.value / live.bytes.variance).max(1.0);
        if live.bytes.variance > 0.0 {
            self.squares += live.bytes.variance * live.bytes.variance / samples;
        }
        self.objects.extend_from_slice(&sample.live_objects);
        self.place = place;
    }
}

fn independent(before: &Side, after: &Side) -> Growth {
    Growth { amount: after.live - before.live, squares: before.squares + after.squares }
}
