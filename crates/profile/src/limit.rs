use std::cell::Cell;
use std::fmt;

use crate::{Error, Place};

/// What a file may take at most, so that a stranger's cannot take all memory or never end.
///
/// The limits are far above what profilers write: a session of this one that is full has some ten million frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Bytes of a file that is compressed.
    Packed,
    /// Bytes of a file that is not compressed, or of what a compressed one holds.
    Unpacked,
    /// Bytes that a compressed file holds for each of its own. Gzip can reach a thousand, profiles do not.
    Ratio,
    /// Bytes of one sample, location, text or other field of the outermost message.
    Field,
    /// Bytes of memory that the profile takes while it is read, by an estimate from above. What is not compressed
    /// is never held as a whole.
    Memory,
    /// Bytes of the names on all stacks, each counted with 32 bytes more, and as often as it is there: views that
    /// write stacks out, such as folded ones, hold so much. A short file can name a long text many times.
    Names,
}

impl Limit {
    /// The limit itself, in the unit that is told at each.
    pub const fn max(self) -> u64 {
        match self {
            Self::Packed => 64 << 20,
            Self::Unpacked | Self::Names => 512 << 20,
            Self::Ratio => 200,
            Self::Field => 4 << 20,
            Self::Memory => 384 << 20,
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mebibytes = self.max() >> 20;
        match self {
            Self::Packed => write!(f, "more than {mebibytes} MiB of compressed data"),
            Self::Unpacked => write!(f, "more than {mebibytes} MiB once decompressed"),
            Self::Ratio => write!(f, "more than {} bytes for each compressed one", self.max()),
            Self::Field => write!(f, "a field of more than {mebibytes} MiB"),
            Self::Memory => write!(f, "more than {mebibytes} MiB of memory"),
            Self::Names => write!(f, "more than {mebibytes} MiB of names on its stacks"),
        }
    }
}

/// What is left of a limit while one profile is read.
pub(crate) struct Budget {
    limit: Limit,
    left: Cell<u64>,
}

impl Budget {
    pub(crate) fn new(limit: Limit) -> Self {
        Self { limit, left: Cell::new(limit.max()) }
    }

    /// Takes so much of it, for what is at `place`.
    pub(crate) fn take(&self, amount: u64, place: Place) -> Result<(), Error> {
        let left = self.left.get().checked_sub(amount).ok_or(Error::TooLarge { place, limit: self.limit })?;
        self.left.set(left);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_at_its_limit() {
        let budget = Budget::new(Limit::Field);
        budget.take(Limit::Field.max() - 1, Place::Header).unwrap();
        assert!(budget.take(2, Place::Sample(3)).is_err());
        budget.take(1, Place::Header).unwrap();
        let error = budget.take(1, Place::Sample(3)).unwrap_err();
        assert_eq!(error.to_string(), "sample 3: a field of more than 4 MiB");
        assert!(budget.take(u64::MAX, Place::Header).is_err());
    }
}
