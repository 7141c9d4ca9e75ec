//! Goodness of fit: how likely it is that figures this far from a distribution come from it.
//!
//! The p-values are those of the limit distributions for a distribution that is known in full, no
//! parameter of it being estimated from the figures.

use std::f64::consts::PI;

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

/// The p-value of Anderson and Darling's test that `figures` are standard normal.
///
/// T. W. Anderson and D. A. Darling, "A Test of Goodness of Fit", 1954. The limit distribution is reached,
/// to the digits that matter here, from about five figures on.
pub(crate) fn anderson_darling_normal(figures: &[f64]) -> f64 {
    let normal = Normal::standard();
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    // Below that the logarithm would be infinite: a figure so far out settles the matter anyway.
    let ln = |probability: f64| probability.max(f64::MIN_POSITIVE).ln();
    let sum: f64 = sorted
        .iter()
        .zip(sorted.iter().rev())
        .enumerate()
        .map(|(index, (&low, &high))| (2 * index + 1) as f64 * (ln(normal.cdf(low)) + ln(normal.sf(high))))
        .sum();
    1.0 - anderson_darling_limit(-count - sum / count)
}

/// The probability that the statistic is at most `a`, for many figures.
///
/// The series of Anderson and Darling:
/// `√(2π)/a Σ (-1)ʲ Γ(j+½)(4j+1)/(Γ(½) j!) e^(-k) ∫ exp(a/(8(w²+1)) - k w²) dw` over all positive `w`,
/// with `k = (4j+1)² π²/(8a)`.
fn anderson_darling_limit(a: f64) -> f64 {
    if a <= 0.05 {
        return 0.0;
    }
    // Its density is far below any p-value of interest there, and the terms of the series would cancel.
    if a >= 40.0 {
        return 1.0;
    }
    let mut sum = 0.0;
    let mut factor = 1.0;
    for j in 0..40 {
        let odd = f64::from(4 * j + 1);
        let k = odd * odd * PI * PI / (8.0 * a);
        let inner = |w: f64| (a / (8.0 * (w * w + 1.0)) - k * w * w - k).exp();
        // Beyond eight deviations of the normal curve nothing is left of it.
        sum += factor * odd * simpson(inner, 8.0 / (2.0 * k).sqrt());
        factor *= -(f64::from(j) + 0.5) / f64::from(j + 1);
    }
    ((2.0 * PI).sqrt() / a * sum).clamp(0.0, 1.0)
}

/// The integral from zero to `end`.
fn simpson(of: impl Fn(f64) -> f64, end: f64) -> f64 {
    const STEPS: u32 = 400;
    let step = end / f64::from(STEPS);
    let inner = (1..STEPS).map(|at| of(f64::from(at) * step) * if at % 2 == 1 { 4.0 } else { 2.0 });
    (of(0.0) + inner.sum::<f64>() + of(end)) * step / 3.0
}

/// The p-value of Kolmogorov and Smirnov's test that `figures`, each a probability, are uniform: so that a
/// variable has a distribution, when they are its distribution function at the values observed.
///
/// With the correction of M. A. Stephens, 1970, for a finite number of them.
pub(crate) fn kolmogorov_smirnov_uniform(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let distance = sorted
        .iter()
        .enumerate()
        .map(|(index, &at)| (at - index as f64 / count).max((index + 1) as f64 / count - at))
        .fold(0.0, f64::max);
    kolmogorov_tail((count.sqrt() + 0.12 + 0.11 / count.sqrt()) * distance)
}

/// The probability that the scaled distance is more than `x`.
fn kolmogorov_tail(x: f64) -> f64 {
    // The series converges slowly where it has nothing to say.
    if x < 0.2 {
        return 1.0;
    }
    let term = |k: i32| (-2.0 * f64::from(k * k) * x * x).exp() * if k % 2 == 1 { 2.0 } else { -2.0 };
    (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
}

/// The p-value, on both sides, of `sum` as a sum of the squares of so many independent standard normal
/// figures.
pub(crate) fn chi_squared(sum: f64, figures: usize) -> f64 {
    let Ok(distribution) = ChiSquared::new(figures as f64) else { return 0.0 };
    (2.0 * distribution.cdf(sum).min(distribution.sf(sum))).min(1.0)
}

/// The figure that is farthest from zero.
pub(crate) fn farthest(figures: impl IntoIterator<Item = f64>) -> f64 {
    figures
        .into_iter()
        .fold(0.0, |worst: f64, figure| if figure.abs() > worst.abs() { figure } else { worst })
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_lines::Random;

    fn near(got: f64, published: f64, within: f64) {
        assert!((got - published).abs() <= within, "{got}, published {published}");
    }

    #[test]
    fn anderson_darling_has_its_published_quantiles() {
        // Anderson and Darling, 1954, to the digits of their table.
        for (a, probability) in [(1.248, 0.75), (1.933, 0.90), (2.492, 0.95), (3.857, 0.99)] {
            near(anderson_darling_limit(a), probability, 3e-4);
        }
        assert!(anderson_darling_limit(0.2) < 0.01 && anderson_darling_limit(12.0) > 0.999_99);
    }

    #[test]
    fn kolmogorov_has_its_published_quantiles() {
        for (x, tail) in [(1.0727, 0.20), (1.2238, 0.10), (1.3581, 0.05), (1.6276, 0.01), (1.9495, 0.001)] {
            near(kolmogorov_tail(x), tail, 5e-5);
        }
    }

    #[test]
    fn chi_squared_has_its_published_quantiles() {
        near(chi_squared(31.410, 20), 0.10, 1e-4);
        near(chi_squared(10.851, 20), 0.10, 1e-4);
        near(chi_squared(19.337, 20), 1.0, 1e-3);
    }

    /// Evenly spread probabilities, so that what is made of them fits as well as can be.
    fn even(count: u32) -> impl Iterator<Item = f64> {
        (0..count).map(move |at| (f64::from(at) + 0.5) / f64::from(count))
    }

    #[test]
    fn the_right_distribution_passes_and_wrong_ones_do_not() {
        let normal = Normal::standard();
        let figures = |shift: f64, spread: f64| -> Vec<f64> {
            even(400).map(|at| normal.inverse_cdf(at) * spread + shift).collect()
        };
        assert!(anderson_darling_normal(&figures(0.0, 1.0)) > 0.99);
        assert!(anderson_darling_normal(&figures(0.25, 1.0)) < 0.001, "shifted");
        assert!(anderson_darling_normal(&figures(0.0, 1.3)) < 0.001, "wider");
        assert!(anderson_darling_normal(&figures(0.0, 0.75)) < 0.001, "narrower");
        assert!(kolmogorov_smirnov_uniform(&even(400).collect::<Vec<_>>()) > 0.99);
        assert!(kolmogorov_smirnov_uniform(&even(400).map(|at| at * at).collect::<Vec<_>>()) < 0.001);
    }

    #[test]
    fn the_farthest_keeps_its_sign() {
        assert_eq!(farthest([1.0, -3.0, 2.0]), -3.0);
    }

    #[test]
    fn choices_are_uniform_in_each_stream_and_over_streams() {
        for stream in 0..10 {
            let mut random = Random::new(stream);
            let figures: Vec<f64> = (0..10_000).map(|_| random.fraction()).collect();
            assert!(kolmogorov_smirnov_uniform(&figures) > 0.001, "stream {stream}");
        }
        let second = |stream| {
            let mut random = Random::new(stream);
            let _ = random.fraction();
            random.fraction()
        };
        let figures: Vec<f64> = (0..10_000).map(second).collect();
        assert!(kolmogorov_smirnov_uniform(&figures) > 0.001);
        assert!((0..1000).all(|_| Random::new(7).below(3) < 3));
    }
}
