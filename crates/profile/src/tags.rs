use rustc_hash::FxHashMap;

use crate::{LocationIndex, Profile, Sample};

impl Profile {
    /// The same profile without tags: samples of one stack become one, with the sum of their figures.
    ///
    /// For readers to whom each tag is a series of its own, as Pyroscope has them.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Figures, Profile, Sample};
    ///
    /// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
    /// let of = |tag: &str| Sample {
    ///     tag: Some(tag.into()),
    ///     figures: Figures { live, ..Figures::default() },
    ///     ..Sample::default()
    /// };
    /// let profile = Profile { samples: vec![of("a"), of("b")], ..Profile::default() }.without_tags();
    /// assert_eq!(profile.samples.len(), 1);
    /// assert_eq!(profile.total().live.bytes.value, 128.0);
    /// ```
    #[must_use]
    pub fn without_tags(mut self) -> Self {
        let samples = std::mem::take(&mut self.samples);
        let mut positions = FxHashMap::<Vec<LocationIndex>, usize>::default();
        for sample in samples {
            match positions.get(&sample.stack) {
                Some(&position) => self.samples[position].merge(sample),
                None => {
                    positions.insert(sample.stack.clone(), self.samples.len());
                    self.samples.push(Sample { tag: None, ..sample });
                }
            }
        }
        self
    }
}

impl Sample {
    /// Adds what another sample of the same stack stands for.
    pub(crate) fn merge(&mut self, other: Self) {
        self.slack = self.slack_with(&other);
        self.figures += other.figures;
        self.peak = self.peak + other.peak;
        self.live_objects.extend(other.live_objects);
        match (&mut self.lifetimes, other.lifetimes) {
            (Some(mine), Some(others)) => **mine += &others,
            (mine @ None, others) => *mine = others,
            (Some(_), None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, Estimate, Figures, Lifetimes, LiveObject};
    use std::time::Duration;

    /// A sample of one object of so many bytes, which is live, and one that lived for as many seconds.
    fn sample(stack: &[u32], tag: Option<&str>, bytes: u64) -> Sample {
        let estimate = |value| Estimate { value, variance: 2.0 };
        let live = Amount { objects: estimate(1.0), bytes: estimate(bytes as f64) };
        let mut lifetimes = Lifetimes::default();
        lifetimes.add(Duration::from_secs(bytes), 1.0);
        Sample {
            stack: stack.iter().copied().map(LocationIndex).collect(),
            tag: tag.map(Into::into),
            figures: Figures { alloc: live + live, live },
            slack: Some(estimate(3.0)),
            peak: live,
            live_objects: vec![LiveObject { birth: Duration::ZERO, size: bytes, amount: live }],
            lifetimes: Some(Box::new(lifetimes)),
        }
    }

    #[test]
    fn samples_of_one_stack_become_one() {
        let samples = vec![
            sample(&[1, 2], Some("a"), 8),
            sample(&[2], Some("a"), 1),
            sample(&[1, 2], None, 16),
            sample(&[1, 2], Some("b"), 32),
        ];
        let before = Profile { samples, ..Profile::default() };
        let after = before.clone().without_tags();
        assert_eq!(after.total(), before.total());
        let [both, other] = &*after.samples else { panic!("two samples") };
        assert_eq!(*other, Sample { tag: None, ..before.samples[1].clone() });
        assert_eq!(both.stack, before.samples[0].stack);
        assert!(both.tag.is_none());
        assert_eq!(both.figures.live.bytes, Estimate { value: 56.0, variance: 6.0 });
        assert_eq!(both.figures.alloc.objects, Estimate { value: 6.0, variance: 12.0 });
        assert_eq!(both.slack, Some(Estimate { value: 9.0, variance: 6.0 }));
        let sizes: Vec<u64> = both.live_objects.iter().map(|object| object.size).collect();
        assert_eq!(sizes, [8, 16, 32]);
        let lifetimes = both.lifetimes.as_ref().unwrap();
        assert_eq!(lifetimes.total(), 3.0);
        assert_eq!(lifetimes.objects[Lifetimes::class(Duration::from_secs(16))], 1.0);
    }

    #[test]
    fn lifetimes_are_kept_where_only_one_has_them() {
        let with = sample(&[1], Some("a"), 8);
        let without = Sample { lifetimes: None, ..sample(&[1], Some("b"), 8) };
        for samples in [vec![with.clone(), without.clone()], vec![without, with]] {
            let profile = Profile { samples, ..Profile::default() }.without_tags();
            assert_eq!(profile.samples[0].lifetimes.as_ref().unwrap().total(), 1.0);
        }
    }
}
