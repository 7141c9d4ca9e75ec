//! The arithmetic of sampling: intervals, probabilities, weights, variances. Pure functions.
//!
//! Every requested byte carries an independent mark with density `1/R`, so a request of `S` bytes is
//! picked with probability `p = 1 - exp(-S/R)` and stands for `1/p` objects and `S/p` bytes; each
//! sample adds `(1-p)/p²` to the variance of the object count and `(1-p)(S/p)²` to that of the bytes
//! (Horvitz and Thompson, 1952, for independent picks). At `R = 1` every request is picked.

use allometer_profile::{Amount, Estimate};

/// Fraction bits of a counter of objects or bytes: a rounding below one part in a million.
const FRACTION: i32 = 20;
/// Fraction bits of a counter of bytes², whose unit is the square of the session's first interval: no
/// sample adds more than the square of its own.
const BYTES_VARIANCE_FRACTION: i32 = 44;

/// Mean number of requested bytes between two samples of a thread: that of a session's start, doubled a
/// number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    first: u64,
    doublings: u32,
    /// Fraction bits of a counter of objects²: what 112 bits leave beside a year's sum, after eight doublings.
    objects_variance_fraction: i32,
}

/// What one sample adds to each counter, or a sum of that, in fixed point.
///
/// The counters have 112 bits. A year holds fewer than 2⁵⁶ requests, eight every four nanoseconds, which
/// leaves the fractions below their room: objects 56 + 20 bits; bytes 2⁷⁰ and more + 20; bytes² in units
/// of `R²` 56 + 44, and twice the doublings; objects², whose sum is below the requests times `R`,
/// 56 + log₂ R + the fraction that [`Interval::new`] chooses to fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) objects: u128,
    pub(crate) bytes: u128,
    pub(crate) objects_variance: u128,
    pub(crate) bytes_variance: u128,
}

impl Weight {
    /// One object of `size` bytes that would not have been missed.
    fn exact(size: usize) -> Self {
        let objects = u128::from(size != 0) << FRACTION;
        Self { objects, bytes: (size as u128) << FRACTION, ..Self::default() }
    }

    /// Objects, bytes, and their variances, in units of their last digit.
    #[inline(always)]
    fn rounded(scaled: [f64; 4]) -> Self {
        // From here on a number has no fraction, so that adding this rounds, and leaves an integer in the lower
        // bits. Most weights are below it, and then no conversion is a call.
        const WHOLE: f64 = exp2(52);
        let small = |value: f64| u128::from((value + WHOLE).to_bits() - WHOLE.to_bits());
        #[cold]
        #[inline(never)]
        fn with_large(scaled: [f64; 4], small: impl Fn(f64) -> u128) -> Weight {
            Weight::of(scaled.map(|value| if value < WHOLE { small(value) } else { value as u128 }))
        }
        if scaled.iter().all(|value| *value < WHOLE) {
            Self::of(scaled.map(small))
        } else {
            with_large(scaled, small)
        }
    }

    fn of([objects, bytes, objects_variance, bytes_variance]: [u128; 4]) -> Self {
        Self { objects, bytes, objects_variance, bytes_variance }
    }

    /// How far this sum has grown beyond `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            objects: self.objects.saturating_sub(earlier.objects),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            objects_variance: self.objects_variance.saturating_sub(earlier.objects_variance),
            bytes_variance: self.bytes_variance.saturating_sub(earlier.bytes_variance),
        }
    }
}

impl Interval {
    pub(crate) fn new(bytes: u64) -> Self {
        let first = bytes.max(1);
        Self { first, doublings: 0, objects_variance_fraction: (47 - first.ilog2() as i32).min(32) }
    }

    /// The interval of the same session after so many doublings. An interval of one stays what it is:
    /// exact.
    pub(crate) fn doubled(self, doublings: u32) -> Self {
        if self.is_exact() { self } else { Self { doublings, ..self } }
    }

    /// Whether every request is picked.
    pub(crate) fn is_exact(self) -> bool {
        self.first == 1
    }

    pub(crate) fn bytes(self) -> u64 {
        self.mean() as u64
    }

    /// As [`Interval::bytes`], exactly: it is below 2⁵³ at first.
    fn mean(self) -> f64 {
        let beyond_any_request = exp2(62);
        (float(self.first) * exp2(self.doublings as i32)).min(beyond_any_request)
    }

    /// The probability that a request of `size` bytes is picked.
    pub(crate) fn probability(self, size: usize) -> f64 {
        if self.is_exact() { 1.0 } else { -(-float(size as u64) / self.mean()).exp_m1() }
    }

    /// What a sample of `size` bytes stands for. The same size always gives the same weight, bit for
    /// bit, so that what a free gives back is what the allocation added.
    #[inline]
    pub(crate) fn weight(self, size: usize) -> Weight {
        if self.is_exact() { Weight::exact(size) } else { self.estimated_weight(size) }
    }

    fn estimated_weight(self, size: usize) -> Weight {
        let interval = self.mean();
        let bytes = float(size as u64);
        let x = bytes / interval;
        if size == 0 {
            Weight::default()
        } else if x < 0.125 {
            // The series of 1 / (1 - exp(-x)) at zero (Abramowitz and Stegun 23.1.1); the next term is below
            // one part in 10⁹ of the sum. It spares most samples the exponential.
            self.weight_of(bytes, interval / bytes + 0.5 + x * (1.0 / 12.0) - x * x * x * (1.0 / 720.0))
        } else {
            self.weight_of_large(bytes, x)
        }
    }

    #[inline(never)]
    fn weight_of_large(self, bytes: f64, x: f64) -> Weight {
        self.weight_of(bytes, -1.0 / (-x).exp_m1())
    }

    /// Of a sample of so many bytes that stands for so many objects: for 1/p.
    #[inline(always)]
    fn weight_of(self, bytes: f64, objects: f64) -> Weight {
        // (1 - p) / p², which is 1/p (1/p - 1).
        let variance = objects * (objects - 1.0);
        let relative = bytes / float(self.first);
        Weight::rounded([
            objects * exp2(FRACTION),
            bytes * objects * exp2(FRACTION),
            variance * exp2(self.objects_variance_fraction),
            variance * relative * relative * exp2(BYTES_VARIANCE_FRACTION),
        ])
    }

    /// A sum of weights as a profile shows it.
    pub(crate) fn amount(self, sum: Weight) -> Amount {
        let square = self.first as f64 * self.first as f64;
        Amount {
            objects: Estimate {
                value: from_fixed(sum.objects, FRACTION),
                variance: from_fixed(sum.objects_variance, self.objects_variance_fraction),
            },
            bytes: Estimate {
                value: from_fixed(sum.bytes, FRACTION),
                variance: from_fixed(sum.bytes_variance, BYTES_VARIANCE_FRACTION) * square,
            },
        }
    }

    /// Bytes up to and including the next mark: an exponential variable with mean `R`, rounded up to
    /// the byte that carries the mark. `random` is uniform over all 64-bit values.
    pub(crate) fn draw(self, random: u64) -> i64 {
        if self.is_exact() {
            return 1;
        }
        // Uniform over (0, 1]: 53 bits and never zero, so the logarithm is finite (at most 37 R).
        let uniform = ((random >> 11) + 1) as f64 * exp2(-53);
        (-uniform.ln() * self.mean()) as i64 + 1
    }

    /// Whether a sample of `size` bytes that was picked at this interval is one at `longer` as well:
    /// with the probability `p(longer) / p(this)`. `random` is as for [`Interval::draw`].
    pub(crate) fn is_kept_at(self, longer: Self, size: usize, random: u64) -> bool {
        let uniform = (random >> 11) as f64 * exp2(-53);
        uniform * self.probability(size) < longer.probability(size)
    }
}

/// 2 to a power that is not below the smallest normal number.
const fn exp2(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A size or an interval as a number, which are below 2⁶³: an instruction, where more would be needed for all.
fn float(bytes: u64) -> f64 {
    bytes as i64 as f64
}

fn from_fixed(total: u128, fraction: i32) -> f64 {
    total as f64 * exp2(-fraction)
}

/// A stream of random numbers: SplitMix64 (Steele, Lea and Flood, 2014). The state is one word.
pub(crate) fn next_random(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_one_is_exact() {
        let interval = Interval::new(1);
        for size in [1, 2, 7, 4096, 1 << 30, 1 << 47] {
            let amount = interval.amount(interval.weight(size));
            assert_eq!(amount.objects, Estimate::exact(1.0));
            assert_eq!(amount.bytes, Estimate::exact(size as f64));
        }
        assert_eq!(interval.draw(0), 1);
        assert_eq!(interval.draw(u64::MAX), 1);
    }

    #[test]
    fn a_weight_is_the_formula_to_one_part_in_a_million() {
        for r in [2, 1 << 10, 1 << 19, 1 << 30, 1 << 40] {
            let interval = Interval::new(r);
            for size in [1usize, 16, 4096, 1 << 19, 1 << 30] {
                let x = size as f64 / r as f64;
                let p = -(-x).exp_m1();
                let amount = interval.amount(interval.weight(size));
                let near = |got: f64, want: f64, unit: f64| {
                    assert!((got - want).abs() <= want * 1e-6 + unit, "R {r} S {size}: {got} for {want}");
                };
                near(amount.objects.value, 1.0 / p, 0.0);
                near(amount.bytes.value, size as f64 / p, 0.0);
                // The tail of a request much larger than the interval is below the last digit.
                let unit = exp2(-interval.objects_variance_fraction);
                near(amount.objects.variance, (1.0 - p) / (p * p), unit);
                let unit = exp2(-BYTES_VARIANCE_FRACTION) * (r as f64).powi(2);
                near(amount.bytes.variance, (1.0 - p) * (size as f64 / p).powi(2), unit);
            }
        }
    }

    #[test]
    fn a_year_of_full_load_fits_the_counters() {
        const YEAR_OF_REQUESTS: f64 = (1u64 << 56) as f64;
        for (bits, doublings) in (1..=50).flat_map(|bits| [(bits, 0), (bits, 6)]) {
            let interval = Interval::new(1 << bits).doubled(doublings);
            for size in (0..47).map(|bit| 1usize << bit) {
                let weight = interval.weight(size);
                let samples = YEAR_OF_REQUESTS * interval.probability(size);
                for part in [weight.objects, weight.objects_variance, weight.bytes_variance] {
                    assert!(part as f64 * samples < exp2(112), "R 2^{bits} S {size}: {part}");
                }
            }
        }
    }

    #[test]
    fn intervals_are_exponential() {
        let interval = Interval::new(1000);
        let (mut state, mut sum, mut beyond) = (7, 0.0, 0);
        const DRAWS: u32 = 100_000;
        for _ in 0..DRAWS {
            let random;
            (state, random) = next_random(state);
            let drawn = interval.draw(random);
            sum += drawn as f64;
            beyond += u32::from(drawn > 1000);
        }
        // Mean of ceil(Exp(R)) is 1/(1-exp(-1/R)) = R + 1/2, its deviation R; four standard errors.
        let n = f64::from(DRAWS);
        assert!((sum / n - 1000.5).abs() < 4.0 * 1000.0 / n.sqrt(), "mean {}", sum / n);
        let share = (-1.0f64).exp();
        let error = (share * (1.0 - share) / n).sqrt();
        assert!((f64::from(beyond) / n - share).abs() < 4.0 * error, "{beyond} beyond R");
        assert!(interval.draw(0) <= 37_000 && interval.draw(u64::MAX) == 1);
    }

    #[test]
    fn a_sample_is_kept_with_the_ratio_of_probabilities() {
        let interval = Interval::new(1000);
        let longer = interval.doubled(2);
        assert_eq!((longer.bytes(), Interval::new(1).doubled(3).bytes()), (4000, 1));
        for size in [1, 500, 1000, 8000] {
            let ratio = longer.probability(size) / interval.probability(size);
            let (mut state, mut kept) = (size as u64, 0);
            const DRAWS: u32 = 100_000;
            for _ in 0..DRAWS {
                let random;
                (state, random) = next_random(state);
                kept += u32::from(interval.is_kept_at(longer, size, random));
            }
            let error = (ratio * (1.0 - ratio) / f64::from(DRAWS)).sqrt();
            let share = f64::from(kept) / f64::from(DRAWS);
            assert!((share - ratio).abs() < 4.0 * error, "size {size}: {share} for {ratio}");
        }
    }
}
