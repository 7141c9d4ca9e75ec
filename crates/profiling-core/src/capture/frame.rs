//! A frame of a stack, in one word.

use crate::sync::sized;

/// A frame of a stack: where it goes on, and whose code that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// A return address.
    pub(crate) address: usize,
    pub(crate) code: Code,
}

/// Whose code a frame is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// The program's, or that of a library which stays as long as the program.
    Lasting,
    /// That of a library which can be unloaded: its number, from zero.
    Late(usize),
    /// That of no module, or of one that found no room.
    Unknown,
}

/// Addresses of user space have 47 bits, so a word has room for a number above them. A stack is compared word by word,
/// so code of another module at the same address makes another stack.
const SHIFT: u32 = 48;
/// Stands for unknown code.
const UNKNOWN: usize = 0xffff;
/// Modules that have a number.
pub(crate) const MAX_MODULES: usize = sized(1 << 12, 2);
const _: () = assert!(MAX_MODULES < UNKNOWN, "zero stands for code that stays");

impl Frame {
    pub(crate) fn from_word(word: usize) -> Self {
        if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
            return Self { address: word, code: Code::Lasting };
        }
        let code = match word.unbounded_shr(SHIFT) {
            0 => Code::Lasting,
            UNKNOWN => Code::Unknown,
            number => Code::Late(number - 1),
        };
        Self { address: word & 1usize.unbounded_shl(SHIFT).wrapping_sub(1), code }
    }

    #[inline(always)]
    #[cfg_attr(
        not(all(target_os = "linux", target_arch = "x86_64")),
        allow(dead_code, reason = "every frame is its address")
    )]
    pub(crate) fn to_word(self) -> usize {
        let number = match self.code {
            Code::Lasting => 0,
            Code::Late(number) => number + 1,
            Code::Unknown => UNKNOWN,
        };
        self.address | number.unbounded_shl(SHIFT)
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::capture::TRUNCATED;

    #[test]
    fn fits_into_a_word() {
        for code in [Code::Lasting, Code::Late(0), Code::Late(MAX_MODULES - 1), Code::Unknown] {
            let frame = Frame { address: 0x7fff_ffff_fff1, code };
            assert_eq!(Frame::from_word(frame.to_word()), frame);
        }
        let lasting = Frame { address: TRUNCATED, code: Code::Lasting };
        assert_eq!(lasting.to_word(), TRUNCATED);
    }
}
