//! Counts by powers of two.

use crate::{
    arena::Zeroed,
    sampler::Weight,
    sync::{AtomicU64, Ordering::Relaxed, array_of},
};

/// Estimated objects in `N` classes of a quantity, each twice as wide as the one before: class `n` holds
/// what needs `n` bits, the last one everything beyond.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Histogram<const N: usize>([AtomicU64; N]);

// SAFETY: an array of atomics whose zero is an empty histogram.
#[allow(unsafe_code)]
unsafe impl<const N: usize> Zeroed for Histogram<N> {}

/// Fraction bits of a class: 2⁵⁶ objects fit, with a rounding of a 512th of an object a sample.
const FRACTION: u32 = 8;

impl<const N: usize> Default for Histogram<N> {
    fn default() -> Self {
        Self(array_of![AtomicU64::new(0); N])
    }
}

impl<const N: usize> Histogram<N> {
    /// Counts objects that stand for `weight` at `quantity`.
    pub(crate) fn add(&self, quantity: u64, weight: Weight) {
        let class = (u64::BITS - quantity.leading_zeros()) as usize;
        let objects = (weight.objects >> (20 - FRACTION)) as u64;
        self.0[class.min(N - 1)].fetch_add(objects, Relaxed);
    }

    /// Estimated objects by class.
    pub(crate) fn load(&self) -> [f64; N] {
        std::array::from_fn(|class| self.0[class].load(Relaxed) as f64 / f64::from(1 << FRACTION))
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Interval;

    #[test]
    fn classes_are_numbers_of_bits() {
        let histogram = Histogram::<8>::default();
        let one = Interval::new(1).weight(1);
        for quantity in [0, 1, 2, 3, 4, 63, 64, 1 << 40] {
            histogram.add(quantity, one);
        }
        assert_eq!(histogram.load(), [1.0, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0]);
    }
}
