//! A name as it is kept: short, on one line, and harmless where it is shown.

use std::fmt::{self, Write};

/// Most bytes of a name.
pub(super) const LONGEST: usize = 240;
/// What an empty name is called.
const NO_NAME: &str = "[no name]";

/// A name.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    len: u8,
    /// Something was left out, so that nothing comes after it.
    is_cut: bool,
    bytes: [u8; LONGEST],
}

const _: () = assert!(LONGEST <= u8::MAX as usize);

impl Default for Text {
    fn default() -> Self {
        Self { len: 0, is_cut: false, bytes: [0; LONGEST] }
    }
}

impl Text {
    /// The name that `parts` are together: without control characters, and cut where it is too long.
    pub(crate) fn of(parts: fmt::Arguments<'_>) -> Self {
        let mut text = Self::default();
        // It fails where the name is cut, which is meant to be so.
        let _ = text.write_fmt(parts);
        if text.len == 0 {
            let _ = text.write_str(NO_NAME);
        }
        text
    }

    /// Whether a name is certainly kept as it is. Where this says no, it may be kept so all the same.
    pub(super) fn is_plain(name: &str) -> bool {
        // Of more than one byte, the control characters U+0080 to U+009F begin with 0xC2.
        let is_plain = |byte: u8| byte >= b' ' && byte != 0x7f && byte != 0xc2;
        (1..=LONGEST).contains(&name.len()) && name.bytes().all(is_plain)
    }

    /// A name that is kept as it is: of [`Text::as_str`], or plain.
    pub(super) fn kept(name: &str) -> Self {
        let mut text = Self::default();
        let len = name.len().min(LONGEST);
        text.bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
        text.len = len as u8;
        text
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(super) fn as_str(&self) -> &str {
        // What was written is whole letters.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// Adds letters that stand for one, all of them or none.
    fn push(&mut self, letters: impl Iterator<Item = char> + Clone) -> fmt::Result {
        let start = usize::from(self.len);
        let end = start + letters.clone().map(char::len_utf8).sum::<usize>();
        if self.is_cut || end > LONGEST {
            self.is_cut = true;
            return Err(fmt::Error);
        }
        letters.fold(start, |at, letter| at + letter.encode_utf8(&mut self.bytes[at..]).len());
        self.len = end as u8;
        Ok(())
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|letter| {
            if letter.is_control() {
                self.push(letter.escape_default())
            } else {
                self.push(std::iter::once(letter))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(name: &str) -> String {
        Text::of(format_args!("{name}")).as_str().to_owned()
    }

    #[test]
    fn a_name_is_kept_as_it_is() {
        for name in ["a", "a tenant", "grün 🌱", "[other tags]", &"x".repeat(LONGEST)] {
            assert_eq!(kept(name), name);
            assert_eq!(Text::kept(name).as_str(), name);
        }
        assert_eq!(kept(""), "[no name]");
    }

    #[test]
    fn control_characters_are_told() {
        assert_eq!(kept("a\n\x1b[2J\u{85}b"), r"a\n\u{1b}[2J\u{85}b");
    }

    #[test]
    fn a_plain_name_is_kept_as_it_is() {
        let letters = (0..=0x17f).filter_map(char::from_u32).map(String::from);
        let lengths = [0, 1, LONGEST, LONGEST + 1].map(|len| "x".repeat(len));
        for name in letters.chain(lengths) {
            assert!(!Text::is_plain(&name) || kept(&name) == name, "{name:?}");
        }
        assert!(Text::is_plain("tenant 7") && Text::is_plain("größer"));
    }

    #[test]
    fn a_long_name_is_cut_between_letters() {
        let full = "x".repeat(LONGEST);
        assert_eq!(kept(&format!("{full}y")), full);
        let short = &full[1..];
        // Neither half of a letter, nor what would fit behind it.
        assert_eq!(kept(&format!("{short}üy")), short);
        assert_eq!(kept(&format!("{}\x1by", &full[3..])), full[3..]);
        assert_eq!(Text::of(format_args!("{short}ü{}", "y")).as_str(), short);
    }
}
