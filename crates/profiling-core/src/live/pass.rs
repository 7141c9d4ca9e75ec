//! How far the live table is thinned.

/// How often the interval has doubled, and which bucket is thinned to it next, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pass(pub(super) u64);

/// Bits of the bucket.
const NEXT: u32 = 56;

impl Pass {
    /// Nothing was doubled, so there is nothing to thin: all buckets are done.
    pub(super) const NONE: Self = Self(1 << (NEXT - 1));

    pub(super) fn doublings(self) -> u32 {
        (self.0 >> NEXT) as u32
    }

    pub(super) fn next(self) -> usize {
        (self.0 & ((1 << NEXT) - 1)) as usize
    }

    /// The first bucket of the next doubling.
    pub(super) fn doubled(self) -> Self {
        Self(u64::from(self.doublings() + 1) << NEXT)
    }

    pub(super) fn advanced(self, buckets: usize) -> Self {
        Self(self.0 + buckets as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_goes_through_all_buckets() {
        let pass = Pass::NONE;
        assert_eq!(pass.doublings(), 0);
        assert!(pass.next() > crate::config::MAX_LIVE_SAMPLES);
        let pass = pass.doubled().advanced(8).advanced(8);
        assert_eq!((pass.doublings(), pass.next()), (1, 16));
        assert_eq!((pass.doubled().doublings(), pass.doubled().next()), (2, 0));
    }
}
