//! The word that a slot of the live table is found by, and changed through.

/// A slot's state in one word: an address of 48 bits, five bits of doublings, nine of the slot's
/// generation, and two marks. Zero is a free slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) u64);

const TAKEN: u64 = 2;
const GENERATION: u32 = 2;
const GENERATION_MASK: u64 = (1 << 9) - 1;
const DOUBLINGS: u32 = 11;
const DOUBLINGS_MASK: u64 = (1 << 5) - 1;
const ADDRESS: u32 = 16;

/// Most doublings that a key can hold.
pub(crate) const MAX_DOUBLINGS: u32 = DOUBLINGS_MASK as u32;

/// Whether an address fits into a key. All do, unless a program asks for more than 48 bits of them.
pub(crate) fn fits(address: usize) -> bool {
    address as u64 >> (u64::BITS - ADDRESS) == 0
}

impl Key {
    /// Nobody's.
    pub(crate) const FREE: Self = Self(0);
    /// An entry is being written.
    pub(crate) const RESERVED: Self = Self(1);

    pub(crate) fn new(address: usize, generation: u64, doublings: u32) -> Self {
        let generation = (generation & GENERATION_MASK) << GENERATION;
        Self(((address as u64) << ADDRESS) | (u64::from(doublings) << DOUBLINGS) | generation)
    }

    pub(crate) fn address(self) -> usize {
        (self.0 >> ADDRESS) as usize
    }

    pub(crate) fn doublings(self) -> u32 {
        ((self.0 >> DOUBLINGS) & DOUBLINGS_MASK) as u32
    }

    /// Whether this is the entry of `address`, not taken.
    pub(crate) fn is_of(self, address: usize) -> bool {
        self.address() == address && self.0 & (TAKEN | Self::RESERVED.0) == 0
    }

    pub(crate) fn is_entry(self) -> bool {
        self != Self::FREE && self.0 & Self::RESERVED.0 == 0
    }

    /// Whether both are of one entry, taken or not, thinned or not.
    pub(crate) fn is_same_entry(self, other: Self) -> bool {
        let changing = TAKEN | (DOUBLINGS_MASK << DOUBLINGS);
        self.0 & !changing == other.0 & !changing
    }

    pub(crate) fn is_taken(self) -> bool {
        self.0 & TAKEN != 0
    }

    /// With the mark of a `realloc` that is under way: look-ups and thinning pass over the entry,
    /// readers still see it.
    pub(crate) fn taken(self) -> Self {
        Self(self.0 | TAKEN)
    }

    pub(crate) fn untaken(self) -> Self {
        Self(self.0 & !TAKEN)
    }

    pub(crate) fn with_doublings(self, doublings: u32) -> Self {
        Self((self.0 & !(DOUBLINGS_MASK << DOUBLINGS)) | (u64::from(doublings) << DOUBLINGS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_touch_each_other() {
        let address = (1 << 48) - 1;
        assert!(fits(address) && !fits(address + 1));
        let key = Key::new(address, 511, MAX_DOUBLINGS);
        assert_eq!((key.address(), key.doublings()), (address, 31));
        assert!(key.is_of(address) && key.is_entry() && !key.is_taken());
        assert!(key.taken().is_taken() && !key.taken().is_of(address) && key.taken().is_same_entry(key));
        assert_eq!(key.taken().untaken(), key);
        assert_eq!(key.with_doublings(3).doublings(), 3);
        assert!(key.with_doublings(3).is_same_entry(key));
        assert!(!Key::new(address, 510, 31).is_same_entry(key));
        assert!(!Key::FREE.is_entry() && !Key::RESERVED.is_entry());
    }
}
