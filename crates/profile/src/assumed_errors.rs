use std::borrow::Cow;

use crate::{Amount, Estimate, Profile};

impl Profile {
    /// The profile with variances. If its file had none, these are what they must have been if all objects of a sample were
    /// of their mean size: `n (1 - p) / p` for `n` objects of `S` bytes, with `p = 1 - exp(-S / R)` at the interval `R`.
    /// Where sizes differ, true variances are larger. A profile that has variances, or whose interval is not known or 1,
    /// is given back as it is.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Figures, Metadata, Profile, Sample};
    ///
    /// let metadata = Metadata { sample_interval: 1 << 20, ..Metadata::default() };
    /// let live = Amount { objects: Estimate::exact(1e5), bytes: Estimate::exact(1e8) };
    /// let samples = vec![Sample { figures: Figures { live, ..Figures::default() }, ..Sample::default() }];
    /// let profile = Profile { metadata, samples, ..Profile::default() };
    /// // Some 95 samples were drawn.
    /// let error = profile.with_assumed_errors().total().live.bytes.standard_error();
    /// assert!((error / 1e8 - 95f64.powf(-0.5)).abs() < 0.001);
    /// ```
    pub fn with_assumed_errors(&self) -> Cow<'_, Self> {
        let interval = self.metadata.sample_interval;
        let mut figures = self.samples.iter().map(|sample| sample.figures);
        let is_exact = |amount: Amount| amount.objects.variance == 0.0 && amount.bytes.variance == 0.0;
        if interval <= 1 || !figures.all(|figures| is_exact(figures.alloc) && is_exact(figures.live)) {
            return Cow::Borrowed(self);
        }
        let mut profile = self.clone();
        for sample in &mut profile.samples {
            for amount in [&mut sample.figures.alloc, &mut sample.figures.live] {
                *amount = with_variance(*amount, interval as f64);
            }
        }
        Cow::Owned(profile)
    }
}

fn with_variance(amount: Amount, interval: f64) -> Amount {
    let (objects, bytes) = (amount.objects.value, amount.bytes.value);
    if objects <= 0.0 || bytes <= 0.0 {
        return amount;
    }
    let size = bytes / objects;
    let p = -(-size / interval).exp_m1();
    let variance = objects * (1.0 - p) / p;
    Amount {
        objects: Estimate { value: objects, variance },
        bytes: Estimate { value: bytes, variance: variance * size * size },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Figures, Metadata, Sample};

    fn of(interval: u64, amounts: &[(f64, f64)]) -> Profile {
        let sample = |&(objects, bytes): &(f64, f64)| {
            let live = Amount { objects: Estimate::exact(objects), bytes: Estimate::exact(bytes) };
            Sample { figures: Figures { live, ..Figures::default() }, ..Sample::default() }
        };
        let metadata = Metadata { sample_interval: interval, ..Metadata::default() };
        Profile { metadata, samples: amounts.iter().map(sample).collect(), ..Profile::default() }
    }

    #[test]
    fn only_what_was_sampled_has_errors() {
        for (interval, amounts) in [(1, (5.0, 40.0)), (0, (5.0, 40.0)), (512, (0.0, 0.0)), (512, (5.0, 0.0))]
        {
            let profile = of(interval, &[amounts]);
            assert_eq!(*profile.with_assumed_errors(), profile);
        }
        let profile = of(512, &[(5.0, 5.0 * 512.0)]);
        let profile = profile.with_assumed_errors();
        // p = 1 - 1/e.
        let expected = 5.0 / (1f64.exp() - 1.0);
        assert!((profile.samples[0].figures.live.objects.variance - expected).abs() < 1e-12);
    }

    #[test]
    fn errors_that_are_known_stay() {
        let mut profile = of(512, &[(5.0, 40.0), (7.0, 56.0)]);
        profile.samples[0].figures.live.bytes.variance = 3.0;
        assert!(matches!(profile.with_assumed_errors(), Cow::Borrowed(_)));
    }
}
