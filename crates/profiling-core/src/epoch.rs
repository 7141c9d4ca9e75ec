//! A session at one interval: what a thread compares to learn that something has changed.

/// A session's number, and how often its interval had doubled. Zero: no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch(pub(crate) u64);

/// Bits of the doublings.
const DOUBLINGS: u32 = 5;

impl Epoch {
    /// No session.
    pub(crate) const NONE: Self = Self(0);

    /// The first epoch of session `number`.
    pub(crate) const fn first(number: u64) -> Self {
        Self(number << DOUBLINGS)
    }

    pub(crate) fn number(self) -> u64 {
        self.0 >> DOUBLINGS
    }

    pub(crate) fn doublings(self) -> u32 {
        (self.0 & ((1 << DOUBLINGS) - 1)) as u32
    }

    /// The same session after so many doublings, which are at most 31.
    pub(crate) fn with_doublings(self, doublings: u32) -> Self {
        Self(Self::first(self.number()).0 | u64::from(doublings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_a_number_and_doublings() {
        let epoch = Epoch::first(1 << 40).with_doublings(31);
        assert_eq!((epoch.number(), epoch.doublings()), (1 << 40, 31));
        assert_eq!(epoch.with_doublings(0), Epoch::first(1 << 40));
        assert_ne!(Epoch::first(1), Epoch::NONE);
    }
}
