//! What the formulas say, from the true sizes: the measure that profiles are held against.
//!
//! A request of `S` bytes is sampled with probability `p = 1 - exp(-S/R)` and then stands for `1/p`
//! objects. The number of samples of `N` equal requests is binomial, so the estimate of their count has the
//! variance `N p (1-p) / p² = N (1-p)/p`, and that of their bytes `S²` times as much. Requests are sampled
//! independently, so variances add up.

/// The probability that a request of `size` bytes is sampled.
pub(crate) fn probability(size: usize, interval: u64) -> f64 {
    if interval == 1 { 1.0 } else { -(-(size as f64) / interval as f64).exp_m1() }
}

/// A sum of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Expected {
    pub(crate) objects: f64,
    pub(crate) bytes: f64,
    /// Of the estimate of the objects, in objects squared.
    pub(crate) objects_variance: f64,
    /// Of the estimate of the bytes, in bytes squared.
    pub(crate) bytes_variance: f64,
}

impl Expected {
    /// `count` requests of `size` bytes.
    pub(crate) fn of(count: u64, size: usize, interval: u64) -> Self {
        let p = probability(size, interval);
        let (count, size) = (count as f64, size as f64);
        let variance = count * (1.0 - p) / p;
        Self {
            objects: count,
            bytes: count * size,
            objects_variance: variance,
            bytes_variance: variance * size * size,
        }
    }

    /// How far an estimate of the objects is off, in standard errors.
    pub(crate) fn objects_off(&self, estimate: f64) -> f64 {
        (estimate - self.objects) / self.objects_variance.sqrt()
    }

    /// How far an estimate of the bytes is off, in standard errors.
    pub(crate) fn bytes_off(&self, estimate: f64) -> f64 {
        (estimate - self.bytes) / self.bytes_variance.sqrt()
    }
}

impl std::ops::Add for Expected {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            objects: self.objects + other.objects,
            bytes: self.bytes + other.bytes,
            objects_variance: self.objects_variance + other.objects_variance,
            bytes_variance: self.bytes_variance + other.bytes_variance,
        }
    }
}

impl std::iter::Sum for Expected {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |sum, part| sum + part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_by_hand() {
        // ln 2 of an interval is sampled half of the time: the variance is one object a request.
        let expected = Expected::of(100, 693_147, 1_000_000);
        assert!((expected.objects_variance - 100.0).abs() < 1e-3, "{expected:?}");
        assert!((expected.objects_off(110.0) - 1.0).abs() < 1e-4);
        assert!((expected.bytes_off(90.0 * 693_147.0) + 1.0).abs() < 1e-4);
        assert_eq!(Expected::of(5, 7, 1).objects_variance, 0.0);
    }
}
