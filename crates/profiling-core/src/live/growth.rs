//! How large the filter is, and how far its growth has come.

/// The filter's width, whether it grows to the next, and which bucket of the table is carried over next, in one
/// word. A width is a number of bits: that of an index of the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth(pub(super) u64);

/// From which width to which an object is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Widths {
    pub(super) from: u32,
    pub(super) to: u32,
}

const WIDTH_MASK: u64 = 63;
/// Where the bucket is.
const NEXT: u32 = 6;
const NEXT_MASK: u64 = ((1 << 40) - 1) << NEXT;
const GROWS: u64 = 1 << 63;

impl Growth {
    /// No growth.
    pub(super) fn rest(width: u32) -> Self {
        Self(u64::from(width))
    }

    /// The width that the free path reads by.
    pub(super) fn width(self) -> u32 {
        (self.0 & WIDTH_MASK) as u32
    }

    /// Whether a larger filter is under way.
    pub(super) fn grows(self) -> bool {
        self.0 & GROWS != 0
    }

    /// What a new object is counted for: the width that the free path reads by, and the one to come.
    pub(super) fn widths(self) -> Widths {
        Widths { from: self.width(), to: self.width() + u32::from(self.grows()) }
    }

    /// A growth to twice the size, from its first bucket on.
    pub(super) fn started(self) -> Self {
        Self(self.0 | GROWS)
    }

    /// The bucket that is carried over next.
    pub(super) fn next(self) -> usize {
        ((self.0 & NEXT_MASK) >> NEXT) as usize
    }

    /// With all buckets below `next` carried over.
    pub(super) fn carried(self, next: usize) -> Self {
        Self(self.0 & !NEXT_MASK | (next as u64) << NEXT)
    }

    /// With all buckets carried over.
    pub(super) fn done(self) -> Self {
        Self(self.0 | NEXT_MASK)
    }

    /// Whether the free path can be switched to the new width.
    pub(super) fn is_done(self) -> bool {
        self.0 & NEXT_MASK == NEXT_MASK
    }

    /// After the switch.
    pub(super) fn switched(self) -> Self {
        Self::rest(self.widths().to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growth_goes_through_its_buckets() {
        let rest = Growth::rest(16);
        assert_eq!((rest.widths(), rest.grows()), (Widths { from: 16, to: 16 }, false));
        assert!(!rest.is_done());
        let growing = rest.started();
        assert_eq!((growing.widths(), growing.next()), (Widths { from: 16, to: 17 }, 0));
        assert!(growing.grows());
        assert_eq!(growing.carried(8).carried(1 << 30).next(), 1 << 30);
        assert_eq!(growing.carried(8).widths(), growing.widths());
        let done = growing.carried(8).done();
        assert!(done.is_done() && done.grows() && done.widths() == growing.widths());
        assert_eq!(done.switched(), Growth::rest(17));
    }
}
