//! How to get from one frame to the next.

use super::registers::Registers;

/// How the frame that a return address belongs to is left, on x86-64. The return address of the next frame
/// always lies just below the canonical frame address (CFA), which is the next frame's stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The CFA is the stack pointer and so many words.
    FromSp { words: u32, bp: SavedBp },
    /// The CFA is the frame pointer and so many words.
    FromBp { words: u32, bp: SavedBp },
    /// The outermost frame.
    End,
    /// Anything else: another way has to be taken.
    Unknown,
}

/// Where the caller's frame pointer is: so many words below the CFA, or, with zero, still in its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SavedBp(pub(super) u8);

/// Bits of a rule.
pub(super) const RULE_BITS: u32 = 28;
const WORDS_BITS: u32 = 18;
const WORDS_MASK: u32 = (1 << WORDS_BITS) - 1;
const KIND: u32 = WORDS_BITS + 8;

impl Rule {
    /// A rule from offsets in bytes; [`Rule::Unknown`] where they do not fit.
    pub(super) fn new(from_bp: bool, cfa_offset: i64, bp_offset: Option<i64>) -> Self {
        let words = |bytes: i64, most: u32| {
            let words = u32::try_from(bytes / 8).ok().filter(|words| bytes % 8 == 0 && *words <= most)?;
            (words > 0).then_some(words)
        };
        let saved = match bp_offset {
            None => Some(0),
            Some(offset) => words(-offset, u32::from(u8::MAX)),
        };
        match (words(cfa_offset, WORDS_MASK), saved) {
            (Some(words), Some(bp)) if from_bp => Self::FromBp { words, bp: SavedBp(bp as u8) },
            (Some(words), Some(bp)) => Self::FromSp { words, bp: SavedBp(bp as u8) },
            _ => Self::Unknown,
        }
    }

    pub(super) fn to_bits(self) -> u32 {
        let pack = |kind: u32, words: u32, bp: SavedBp| kind << KIND | u32::from(bp.0) << WORDS_BITS | words;
        match self {
            Self::FromSp { words, bp } => pack(0, words, bp),
            Self::FromBp { words, bp } => pack(1, words, bp),
            Self::End => 2 << KIND,
            Self::Unknown => 3 << KIND,
        }
    }

    #[inline(always)]
    pub(super) fn from_bits(bits: u32) -> Self {
        let words = bits & WORDS_MASK;
        let bp = SavedBp((bits >> WORDS_BITS) as u8);
        match bits >> KIND & 3 {
            0 => Self::FromSp { words, bp },
            1 => Self::FromBp { words, bp },
            2 => Self::End,
            _ => Self::Unknown,
        }
    }

    /// The CFA of the frame with these registers; none at the end or where the rule is not known.
    #[inline(always)]
    pub(super) fn cfa(self, registers: &Registers) -> Option<(usize, SavedBp)> {
        match self {
            Self::FromSp { words, bp } => Some((registers.sp.wrapping_add(words as usize * 8), bp)),
            Self::FromBp { words, bp } => Some((registers.bp.wrapping_add(words as usize * 8), bp)),
            Self::End | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_survives_its_bits() {
        let rules = [
            Rule::new(false, 8, None),
            Rule::new(true, 16, Some(-16)),
            Rule::new(false, 540 * 1024, Some(-2040)),
            Rule::End,
            Rule::Unknown,
        ];
        for rule in rules {
            assert!(rule.to_bits() < 1 << RULE_BITS);
            assert_eq!(Rule::from_bits(rule.to_bits()), rule);
        }
        assert_eq!(rules[1], Rule::FromBp { words: 2, bp: SavedBp(2) });
    }

    #[test]
    fn what_does_not_fit_is_unknown() {
        for (offset, bp) in
            [(0, None), (-8, None), (12, None), (8 << 18, None), (16, Some(8)), (16, Some(-2048))]
        {
            assert_eq!(Rule::new(false, offset, bp), Rule::Unknown, "{offset} {bp:?}");
        }
    }

    #[test]
    fn the_frame_address_comes_from_either_register() {
        let registers = Registers { ip: 0, sp: 1000, bp: 5000 };
        let cfa = |rule: Rule| rule.cfa(&registers).map(|(cfa, _)| cfa);
        assert_eq!(cfa(Rule::new(false, 24, None)), Some(1024));
        assert_eq!(cfa(Rule::new(true, 16, None)), Some(5016));
        assert_eq!((cfa(Rule::End), cfa(Rule::Unknown)), (None, None));
    }
}
