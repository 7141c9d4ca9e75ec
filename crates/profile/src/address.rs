/// The address a call returns to, as an unwinder reports it.
///
/// It is the instruction *after* the call. When a call is the last instruction of its function (the callee
/// never returns) or of an inlined body, that instruction belongs to somebody else, so a return address must
/// not be looked up as it is: [`lookup`](Self::lookup) gives the address to ask for. The two are different
/// types so that they cannot be mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReturnAddress(u64);

impl ReturnAddress {
    /// A return address in the memory of this process (or of the one that was profiled).
    pub const fn new(address: u64) -> Self {
        Self(address)
    }

    /// The address as a number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// An address inside the call instruction. Zero, which some unwinders report as the last frame, stays zero.
    pub const fn lookup(self) -> LookupAddress {
        LookupAddress(self.0.saturating_sub(1))
    }
}

/// An address inside a call instruction: what symbol tables and line tables are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LookupAddress(u64);

impl LookupAddress {
    /// The address as a number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The return address of the call that this address lies in. The highest address stays as it is.
    pub(crate) const fn return_address(self) -> ReturnAddress {
        ReturnAddress(self.0.saturating_add(1))
    }

    pub(crate) const fn from_profile(address: u64) -> Self {
        Self(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_up_inside_the_call() {
        assert_eq!(ReturnAddress::new(0x1005).lookup().get(), 0x1004);
        assert_eq!(ReturnAddress::new(0).lookup().get(), 0);
        assert_eq!(ReturnAddress::new(0x1005).lookup().return_address(), ReturnAddress::new(0x1005));
    }
}
