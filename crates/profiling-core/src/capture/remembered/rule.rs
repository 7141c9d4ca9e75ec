//! How to get from one frame to the next.

/// How the frame that a return address belongs to is left, on x86-64, in [`RULE_BITS`] bits.
///
/// The return address of the next frame always lies just below the canonical frame address (CFA), which is
/// the next frame's stack pointer. Mostly the CFA is so many words above the stack pointer or the frame
/// pointer, and the caller's frame pointer is still in its register or saved so many words below the CFA;
/// the other kinds are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule(u32);

/// Bits of a rule. The highest is set in every one, so that a rule is never zero.
pub(super) const RULE_BITS: u32 = 29;
const SET: u32 = 1 << (RULE_BITS - 1);
const WORDS_BITS: u32 = 18;
const WORDS_MASK: u32 = (1 << WORDS_BITS) - 1;
const SAVED_MASK: u32 = (1 << 8) - 1;
/// The CFA is counted from the frame pointer.
const FROM_BP: u32 = 1 << 26;
/// A kind of its own; the low bits tell which. With offsets, one whose frame pointer is saved below the frame.
const NAMED: u32 = 1 << 27;
/// What a function may use below its stack pointer, and a signal leaves alone (System V ABI, x86-64: the red zone).
const RED_ZONE_WORDS: u32 = 128 / 8;

impl Rule {
    /// Code that keeps a frame pointer, as all such code does: `push rbp; mov rbp, rsp`.
    pub(super) const FRAME_POINTER: Self = Self(SET | FROM_BP | 2 << WORDS_BITS | 2);
    /// The outermost frame.
    pub(super) const END: Self = Self(SET | NAMED);
    /// Anything else: another way has to be taken.
    pub(super) const UNKNOWN: Self = Self(SET | NAMED | 1);
    /// The code is that of a module whose unwind tables do not cover it, if it has any.
    pub(super) const NO_TABLE: Self = Self(SET | NAMED | 2);
    /// What a signal handler returns to: the registers it interrupted are on the stack.
    pub(super) const SIGNAL: Self = Self(SET | NAMED | 3);

    /// A rule from offsets in bytes: of the CFA from the frame pointer or the stack pointer, and of the saved
    /// frame pointer from the CFA; [`Rule::UNKNOWN`] where they do not fit.
    pub(super) fn new(from_bp: bool, cfa_offset: i64, bp_offset: Option<i64>) -> Self {
        let words = |bytes: i64, most: u32| {
            let words = u32::try_from(bytes / 8).ok().filter(|words| bytes % 8 == 0 && *words <= most)?;
            (words > 0).then_some(words)
        };
        let Some(cfa) = words(cfa_offset, WORDS_MASK) else { return Self::UNKNOWN };
        let saved = bp_offset.map_or(Some(0), |offset| words(-offset, SAVED_MASK));
        let Some(saved) = saved else { return Self::UNKNOWN };
        // What is saved lies in the frame, so whoever has checked the frame may read it; but for an epilogue that
        // has popped it already.
        let kind = match (saved <= cfa, from_bp) {
            (true, true) => FROM_BP,
            (true, false) => 0,
            (false, false) if saved <= cfa + RED_ZONE_WORDS => NAMED,
            (false, _) => return Self::UNKNOWN,
        };
        Self(SET | kind | saved << WORDS_BITS | cfa)
    }

    /// Whether the rule has offsets and counts from the stack pointer, below which the frame pointer is saved.
    pub(super) fn is_saved_below(self) -> bool {
        self.is_named() && self.saved_bp() != 0
    }

    pub(super) fn to_bits(self) -> u32 {
        self.0
    }

    /// The rule that has these bits, if any has.
    #[inline(always)]
    pub(super) fn from_bits(bits: u64) -> Option<Self> {
        (bits >> (RULE_BITS - 1) == 1).then_some(Self(bits as u32))
    }

    #[inline(always)]
    pub(super) fn is_named(self) -> bool {
        self.0 & NAMED != 0
    }

    #[inline(always)]
    pub(super) fn is_from_bp(self) -> bool {
        self.0 & FROM_BP != 0
    }

    /// How far the CFA is above its register, in bytes, for a rule that has offsets.
    #[inline(always)]
    pub(super) fn cfa_offset(self) -> usize {
        (self.0 & WORDS_MASK) as usize * 8
    }

    /// How far below the CFA the caller's frame pointer is saved, in bytes; zero: it is in its register.
    #[inline(always)]
    pub(super) fn saved_bp(self) -> usize {
        (self.0 >> WORDS_BITS & SAVED_MASK) as usize * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_its_offsets() {
        for (from_bp, cfa, bp) in
            [(false, 8, 0), (true, 16, 16), (false, 540 * 1024, 2040), (true, 8 << 10, 8)]
        {
            let rule = Rule::new(from_bp, cfa, (bp != 0).then_some(-bp));
            assert!(rule.to_bits() < 1 << RULE_BITS && !rule.is_named());
            assert_eq!((rule.is_from_bp(), rule.cfa_offset() as i64), (from_bp, cfa));
            assert_eq!(rule.saved_bp() as i64, bp);
            assert_eq!(Rule::from_bits(rule.to_bits().into()), Some(rule));
        }
        assert_eq!(Rule::new(true, 16, Some(-16)), Rule::FRAME_POINTER);
        let named = [Rule::END, Rule::UNKNOWN, Rule::NO_TABLE, Rule::SIGNAL];
        assert!(named.iter().all(|rule| rule.is_named() && rule.to_bits() < 1 << RULE_BITS));
        assert_eq!(Rule::from_bits(0), None);
        assert_eq!(Rule::from_bits(u64::from(Rule::END.to_bits()) | 1 << RULE_BITS), None);
    }

    #[test]
    fn what_does_not_fit_is_unknown() {
        for (offset, bp) in [
            (0, None),
            (-8, None),
            (12, None),
            (8 << 18, None),
            (16, Some(8)),
            (16, Some(-152)),
            (4096, Some(-2048)),
        ] {
            assert_eq!(Rule::new(false, offset, bp), Rule::UNKNOWN, "{offset} {bp:?}");
        }
        assert_eq!(Rule::new(true, 16, Some(-24)), Rule::UNKNOWN);
    }

    #[test]
    fn what_an_epilogue_has_popped_is_below() {
        for (cfa, bp) in [(8, 16), (8, 136), (40, 48), (1024, 1152)] {
            let rule = Rule::new(false, cfa, Some(-bp));
            assert!(rule.is_saved_below() && rule.is_named());
            assert_eq!((rule.cfa_offset() as i64, rule.saved_bp() as i64), (cfa, bp));
        }
        let others = [Rule::END, Rule::UNKNOWN, Rule::NO_TABLE, Rule::SIGNAL, Rule::FRAME_POINTER];
        assert!(others.iter().all(|rule| !rule.is_saved_below()));
        assert!(!Rule::new(false, 16, Some(-16)).is_saved_below());
    }
}
