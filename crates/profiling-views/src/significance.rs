//! Whether a change is more than the noise of sampling.

use allometer_profile::Growth;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// How likely noise alone makes a change at least as large as this one, up or down.
///
/// The change over its standard error is compared with Student's t. Its degrees of freedom are one less than
/// the number of equally noisy samples that the noise is worth (Satterthwaite, *Biometrics Bulletin* 2, 1946):
/// a change that rests on one sample is never significant, and one that is exactly known always is.
pub(crate) fn p_value(growth: &Growth) -> f64 {
    let bytes = growth.amount.bytes;
    if bytes.variance <= 0.0 {
        return if bytes.value == 0.0 { 1.0 } else { 0.0 };
    }
    let samples = bytes.variance * bytes.variance / growth.squares;
    let t = bytes.value / bytes.standard_error();
    match StudentsT::new(0.0, 1.0, samples - 1.0) {
        Ok(distribution) => (2.0 * distribution.cdf(-t.abs())).min(1.0),
        Err(_) => 1.0,
    }
}

/// The largest p value that is called significant, so that of all changes which are, a share of `rate` at most
/// is expected to be noise (Benjamini and Hochberg, *J. R. Statist. Soc. B* 57, 1995). None if no change is.
pub(crate) fn threshold(p_values: impl Iterator<Item = f64>, rate: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = p_values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let tests = sorted.len() as f64;
    let is_below = |(rank, p): &(usize, &f64)| **p <= (rank + 1) as f64 / tests * rate;
    sorted.iter().enumerate().rfind(is_below).map(|(_, p)| *p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{Amount, Estimate};

    /// The growth by so many samples of weight one, with as many gone.
    fn growth(new: u32, gone: u32) -> Growth {
        let samples = f64::from(new + gone);
        let bytes = Estimate { value: f64::from(new) - f64::from(gone), variance: samples };
        Growth { amount: Amount { bytes, ..Amount::default() }, squares: samples }
    }

    #[test]
    fn few_samples_prove_nothing() {
        assert_eq!(p_value(&growth(1, 0)), 1.0);
        assert_eq!(p_value(&growth(7, 7)), 1.0);
        // t = √5 with four degrees of freedom; the sign test says 0.0625.
        assert!((p_value(&growth(5, 0)) - 0.0890).abs() < 5e-4);
        assert!(p_value(&growth(30, 0)) < 1e-4);
        assert_eq!(p_value(&growth(10, 20)), p_value(&growth(20, 10)));
    }

    #[test]
    fn what_is_known_is_significant() {
        let exact = |value| Amount { bytes: Estimate::exact(value), ..Amount::default() };
        assert_eq!(p_value(&Growth { amount: exact(1.0), squares: 0.0 }), 0.0);
        assert_eq!(p_value(&Growth { amount: exact(0.0), squares: 0.0 }), 1.0);
    }

    #[test]
    fn noise_is_rarely_called_significant() {
        // The distribution of p values under pure noise, for a site with ten changed samples on average:
        // each new or gone with equal chance.
        let (mut state, mut below) = (1u64, 0);
        const SITES: u32 = 20_000;
        let mut coin = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for _ in 0..SITES {
            let changed = (0..20).filter(|_| coin() % 2 == 0).count() as u32;
            let new = (0..changed).filter(|_| coin() % 2 == 0).count() as u32;
            below += u32::from(p_value(&growth(new, changed - new)) < 0.05);
        }
        let share = f64::from(below) / f64::from(SITES);
        assert!((0.01..0.06).contains(&share), "{share}");
    }

    #[test]
    fn the_threshold_is_that_of_benjamini_and_hochberg() {
        // The example of their paper: four of fifteen at a rate of 0.05.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0000,
        ];
        assert_eq!(threshold(p.into_iter().rev(), 0.05), Some(0.0095));
        assert_eq!(threshold([0.9, 0.06].into_iter(), 0.05), None);
        assert_eq!(threshold([].into_iter(), 0.05), None);
    }
}
