//! What the blocks of a case say together.

use std::fmt;

/// Ratios of the blocks that were used, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Summary(Vec<f64>);

impl Summary {
    pub(super) fn new(mut ratios: Vec<f64>) -> Self {
        ratios.sort_by(f64::total_cmp);
        Self(ratios)
    }

    pub(super) fn median(&self) -> Option<f64> {
        let middle = self.0.len() / 2;
        let high = *self.0.get(middle)?;
        let is_odd = !self.0.len().is_multiple_of(2);
        Some(if is_odd { high } else { (self.0.get(middle - 1)? + high) / 2.0 })
    }

    /// Whether the median lies within what the same program, taken twice, ranges over.
    pub(super) fn is_within(&self, control: &Self) -> Option<bool> {
        let (median, first, last) = (self.median()?, control.0.first()?, control.0.last()?);
        Some((*first..=*last).contains(&median))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.median(), self.0.first(), self.0.last()) {
            (Some(median), Some(first), Some(last)) => {
                write!(f, "{median:.4} ({first:.4} to {last:.4}, {} blocks)", self.0.len())
            }
            _ => f.write_str("no block could be used"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_between_the_middle_two() {
        assert_eq!(Summary::new(vec![3.0, 1.0, 2.0]).median(), Some(2.0));
        assert_eq!(Summary::new(vec![4.0, 1.0, 2.0, 3.0]).median(), Some(2.5));
        assert_eq!(Summary::new(vec![]).to_string(), "no block could be used");
        assert_eq!(Summary::new(vec![1.5, 0.5]).to_string(), "1.0000 (0.5000 to 1.5000, 2 blocks)");
    }

    #[test]
    fn the_control_tells_what_is_noise() {
        let control = Summary::new(vec![0.99, 1.0, 1.01]);
        assert_eq!(Summary::new(vec![1.005, 1.02, 0.98]).is_within(&control), Some(true));
        assert_eq!(Summary::new(vec![1.02, 1.03]).is_within(&control), Some(false));
        assert_eq!(Summary::new(vec![]).is_within(&control), None);
    }
}
