use crate::{Estimate, LiveObject, Profile, Sample};

/// The slack of live objects: how much more than was requested their blocks have, in bytes, if `block` says how many bytes a
/// block has that is given for a request of so many.
///
/// A sample that stands for `w` objects with a slack of `d` bytes each stands for `w d` bytes of it, whose variance is that of the
/// objects, times `d²`.
pub fn slack(objects: &[LiveObject], block: impl Fn(usize) -> usize) -> Estimate {
    objects.iter().fold(Estimate::default(), |sum, object| {
        // A size of another machine is none that could be asked about.
        let size = usize::try_from(object.size).unwrap_or(usize::MAX);
        let each = block(size).saturating_sub(size) as f64;
        let Estimate { value, variance } = object.amount.objects;
        sum + Estimate { value: value * each, variance: variance * each * each }
    })
}

impl Profile {
    /// The slack of everything that is live: [`Sample::slack`] over all samples. `None` where it is not known of some that has
    /// live objects, or of none at all.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Figures, Profile, Sample};
    ///
    /// let live = Amount { objects: Estimate::exact(2.0), bytes: Estimate::exact(40.0) };
    /// let figures = Figures { live, ..Figures::default() };
    /// let sample = Sample { figures, slack: Some(Estimate::exact(24.0)), ..Sample::default() };
    /// let mut profile = Profile { samples: vec![sample], ..Profile::default() };
    /// assert_eq!(profile.slack(), Some(Estimate::exact(24.0)));
    /// profile.samples.push(Sample { figures, ..Sample::default() });
    /// assert_eq!(profile.slack(), None);
    /// ```
    pub fn slack(&self) -> Option<Estimate> {
        if self.samples.iter().all(|sample| sample.slack.is_none()) {
            return None;
        }
        self.samples
            .iter()
            .map(Sample::known_slack)
            .try_fold(Estimate::default(), |sum, each| Some(sum + each?))
    }
}

impl Sample {
    /// What is live nowhere has none.
    fn known_slack(&self) -> Option<Estimate> {
        let nothing_live = self.figures.live.bytes.value == 0.0;
        self.slack.or(nothing_live.then(Estimate::default))
    }

    /// That of both samples together.
    pub(crate) fn slack_with(&self, other: &Self) -> Option<Estimate> {
        if self.slack.is_none() && other.slack.is_none() {
            return None;
        }
        Some(self.known_slack()? + other.known_slack()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, Figures};
    use std::time::Duration;

    /// Sampled with a probability of one half, so that its variance is 2.
    fn object(size: u64) -> LiveObject {
        let objects = Estimate { value: 2.0, variance: 2.0 };
        LiveObject { birth: Duration::ZERO, size, amount: Amount { objects, ..Amount::default() } }
    }

    fn sample(live: f64, slack: Option<f64>) -> Sample {
        let live = Amount { bytes: Estimate::exact(live), ..Amount::default() };
        let slack = slack.map(Estimate::exact);
        Sample { figures: Figures { live, ..Figures::default() }, slack, ..Sample::default() }
    }

    #[test]
    fn each_object_counts_as_often_as_it_stands_for_others() {
        let block = |size: usize| size.next_multiple_of(16);
        // 6, 0 and 15 bytes.
        let objects = [object(10), object(32), object(33)];
        assert_eq!(slack(&objects, block), Estimate { value: 42.0, variance: 2.0 * (36.0 + 225.0) });
        assert_eq!(slack(&[], block), Estimate::default());
        assert_eq!(slack(&[object(10)], |_| 4), Estimate::default(), "less than was requested is none");
    }

    #[test]
    fn a_sum_is_known_where_each_part_is() {
        let of = |samples: &[Sample]| {
            let profile = Profile { samples: samples.to_vec(), ..Profile::default() };
            profile.slack().map(|slack| slack.value)
        };
        let (known, other) = (sample(8.0, Some(3.0)), sample(8.0, Some(4.0)));
        let (unknown, gone) = (sample(8.0, None), sample(0.0, None));
        assert_eq!(of(&[known.clone(), other.clone()]), Some(7.0));
        assert_eq!(of(&[known.clone(), gone.clone()]), Some(3.0));
        assert_eq!(of(&[known.clone(), unknown.clone()]), None);
        assert_eq!(of(std::slice::from_ref(&gone)), None);
        let merged = |mut one: Sample, other: &Sample| {
            one.merge(other.clone());
            one.slack.map(|slack| slack.value)
        };
        assert_eq!(merged(known.clone(), &other), Some(7.0));
        assert_eq!(merged(gone.clone(), &known), Some(3.0));
        assert_eq!(merged(known, &unknown), None);
        assert_eq!(merged(gone.clone(), &gone), None);
    }
}
