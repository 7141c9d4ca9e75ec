//! The word that a slot of the live table is found by, and changed through.

/// A slot's state in one word: an address of 48 bits, a mark, five bits of doublings, five of the width that
/// the filter counts the entry for, and five of the slot's generation. Zero is a free slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(pub(super) u64);

const GENERATION_MASK: u64 = (1 << 5) - 1;
const WIDTH: u32 = 5;
const WIDTH_MASK: u64 = (1 << 5) - 1;
const DOUBLINGS: u32 = 10;
const DOUBLINGS_MASK: u64 = (1 << 5) - 1;
/// The mark, next to the address, so that both are compared at once.
const TAKEN: u32 = 15;
const ADDRESS: u32 = 16;

/// Most doublings that a key can hold.
pub(super) const MAX_DOUBLINGS: u32 = DOUBLINGS_MASK as u32;

/// Whether an address, which is not null, fits into a key. All do, unless a program asks for more than 48 bits
/// of them.
pub(super) fn fits(address: usize) -> bool {
    address as u64 >> (u64::BITS - ADDRESS) == 0
}

impl Key {
    /// Nobody's.
    pub(super) const FREE: Self = Self(0);
    /// An entry is being written.
    pub(super) const RESERVED: Self = Self(1);

    pub(super) fn new(address: usize, generation: u16, width: u32, doublings: u32) -> Self {
        let generation = u64::from(generation) & GENERATION_MASK;
        let (width, doublings) = (u64::from(width) << WIDTH, u64::from(doublings) << DOUBLINGS);
        Self((address as u64) << ADDRESS | doublings | width | generation)
    }

    pub(super) fn address(self) -> usize {
        (self.0 >> ADDRESS) as usize
    }

    pub(super) fn doublings(self) -> u32 {
        (self.0 >> DOUBLINGS & DOUBLINGS_MASK) as u32
    }

    /// The largest width of the filter that the entry is counted for.
    pub(super) fn width(self) -> u32 {
        (self.0 >> WIDTH & WIDTH_MASK) as u32
    }

    /// Whether this is the entry of `address`, not taken.
    pub(super) fn is_of(self, address: usize) -> bool {
        self.0 >> TAKEN == (address as u64) << 1
    }

    pub(super) fn is_entry(self) -> bool {
        self.address() != 0
    }

    /// Whether both are of one entry: taken or not, thinned or not, counted for whichever width.
    pub(super) fn is_same_entry(self, other: Self) -> bool {
        let changing = 1 << TAKEN | WIDTH_MASK << WIDTH | DOUBLINGS_MASK << DOUBLINGS;
        self.0 & !changing == other.0 & !changing
    }

    pub(super) fn is_taken(self) -> bool {
        self.0 & 1 << TAKEN != 0
    }

    /// With the mark of a `realloc` that is under way: look-ups and thinning pass over the entry,
    /// readers still see it, and it is still carried over.
    pub(super) fn taken(self) -> Self {
        Self(self.0 | 1 << TAKEN)
    }

    pub(super) fn untaken(self) -> Self {
        Self(self.0 & !(1 << TAKEN))
    }

    pub(super) fn with_doublings(self, doublings: u32) -> Self {
        Self(self.0 & !(DOUBLINGS_MASK << DOUBLINGS) | u64::from(doublings) << DOUBLINGS)
    }

    pub(super) fn with_width(self, width: u32) -> Self {
        Self(self.0 & !(WIDTH_MASK << WIDTH) | u64::from(width) << WIDTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_touch_each_other() {
        let address = (1 << 48) - 1;
        assert!(fits(address) && !fits(address + 1));
        let key = Key::new(address, 31, 29, MAX_DOUBLINGS);
        assert_eq!((key.address(), key.width(), key.doublings()), (address, 29, 31));
        assert!(key.is_of(address) && key.is_entry() && !key.is_taken());
        assert!(key.taken().is_taken() && !key.taken().is_of(address) && key.taken().is_same_entry(key));
        assert_eq!(key.taken().untaken(), key);
        let changed = key.with_doublings(3).with_width(16);
        assert_eq!((changed.address(), changed.width(), changed.doublings()), (address, 16, 3));
        assert!(changed.is_same_entry(key));
        assert!(!Key::new(address, 30, 29, 31).is_same_entry(key));
        assert!(!Key::FREE.is_entry() && !Key::RESERVED.is_entry());
    }
}
