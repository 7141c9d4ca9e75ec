use std::{cmp::Ordering, time::Duration};

use crate::{Amount, Estimate};

/// A sampled object that is live at the end of a profile's span.
///
/// It is what a figure of the live heap is the sum of. Two profiles of one session share the objects that
/// were live at both moments, and so the noise of these: see [`growth`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiveObject {
    /// When it was allocated, as time since the session's start; kept when an object is resized.
    pub birth: Duration,
    /// Requested bytes.
    pub size: u64,
    /// What it stands for.
    pub amount: Amount,
}

impl LiveObject {
    fn identity(&self) -> (Duration, u64) {
        (self.birth, self.size)
    }
}

/// How the live heap of one site grew from the samples `before` to those `after`, two moments of one session.
///
/// A sample that is live at both moments is no noise: what it stands for cancels. So the variance of the
/// growth is that of the samples that are live at only one of them. A sample that the session drew again in
/// between at a longer interval, with the weight `v` instead of `w`, adds `v (v - w)` objects² (for objects),
/// the unbiased estimate of what the second draw adds; the ones that this draw dropped cannot be told from
/// freed ones, which makes the variance too large rather than too small.
///
/// Samples are told apart by birth and size. Should two agree in both, it does not matter which is which.
pub fn growth(before: &[LiveObject], after: &[LiveObject]) -> Growth {
    let sorted = |objects: &[LiveObject]| {
        let mut objects = objects.to_vec();
        objects.sort_unstable_by_key(LiveObject::identity);
        objects
    };
    let (before, after) = (sorted(before), sorted(after));
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    let mut growth = Growth::default();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return growth,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.identity().cmp(&new.identity()),
        };
        let old = if order.is_le() { old.next() } else { None };
        let new = if order.is_ge() { new.next() } else { None };
        growth.add(old, new);
    }
}

/// A signed change of the live heap, and how much its noise is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Growth {
    /// By how much the live heap grew; negative where it shrank.
    pub amount: Amount,
    /// The sum of the squares of the variances that `amount.bytes.variance` is the sum of, in bytes⁴: with it,
    /// `variance² / squares` is the number of equally noisy samples that would be as noisy together
    /// (Satterthwaite, 1946).
    pub squares: f64,
}

impl Growth {
    /// Adds one sample that is live before, after, or both.
    fn add(&mut self, before: Option<&LiveObject>, after: Option<&LiveObject>) {
        let old = before.map(|object| object.amount).unwrap_or_default();
        let new = after.map(|object| object.amount).unwrap_or_default();
        let both = before.is_some() && after.is_some();
        let change = |old: Estimate, new: Estimate| {
            let value = new.value - old.value;
            let variance = if both { (new.value * value).max(0.0) } else { old.variance + new.variance };
            Estimate { value, variance }
        };
        let amount =
            Amount { objects: change(old.objects, new.objects), bytes: change(old.bytes, new.bytes) };
        self.amount = self.amount + amount;
        self.squares += amount.bytes.variance * amount.bytes.variance;
    }
}

impl std::ops::AddAssign for Growth {
    /// The growth of two sites together, whose samples are independent.
    fn add_assign(&mut self, other: Self) {
        self.amount = self.amount + other.amount;
        self.squares += other.squares;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(birth: u64, size: u64, weight: f64) -> LiveObject {
        let estimate = |value: f64| Estimate { value, variance: value * value * (1.0 - 1.0 / weight) };
        let amount = Amount { objects: estimate(weight), bytes: estimate(weight * size as f64) };
        LiveObject { birth: Duration::from_nanos(birth), size, amount }
    }

    #[test]
    fn what_is_live_at_both_moments_is_no_noise() {
        let (kept, freed, new) = (object(1, 100, 50.0), object(2, 100, 50.0), object(9, 10, 500.0));
        assert_eq!(growth(&[kept; 3], &[kept; 3]), Growth::default());
        let growth = growth(&[freed, kept], &[new, kept]);
        assert_eq!(growth.amount.objects.value, 450.0);
        assert_eq!(growth.amount.bytes.value, 0.0);
        let variance = freed.amount.bytes.variance + new.amount.bytes.variance;
        assert_eq!(growth.amount.bytes.variance, variance);
        assert!(growth.squares > variance * variance / 2.1 && growth.squares < variance * variance / 1.9);
    }

    #[test]
    fn equal_samples_are_counted() {
        let object = object(1, 100, 50.0);
        let growth = growth(&[object; 2], &[object; 5]);
        assert_eq!(growth.amount.bytes.value, 3.0 * 5000.0);
        assert_eq!(growth.amount.bytes.variance, 3.0 * object.amount.bytes.variance);
    }

    #[test]
    fn a_sample_drawn_again_adds_the_noise_of_the_second_draw() {
        let (once, twice) = (object(1, 100, 50.0), object(1, 100, 100.0));
        let growth = growth(&[once], &[twice]);
        assert_eq!(growth.amount.objects, Estimate { value: 50.0, variance: 5000.0 });
    }
}
