use crate::{Error, Place};

/// The lines of a text, with their numbers.
pub(super) struct Lines<'data> {
    rest: Option<&'data [u8]>,
    number: usize,
}

/// A line without what ends it.
#[derive(Clone, Copy)]
pub(super) struct Line<'data> {
    bytes: &'data [u8],
    number: usize,
}

impl<'data> Lines<'data> {
    pub(super) fn of(data: &'data [u8]) -> Self {
        Self { rest: Some(data), number: 0 }
    }
}

impl<'data> Iterator for Lines<'data> {
    type Item = Line<'data>;

    fn next(&mut self) -> Option<Line<'data>> {
        let rest = self.rest.filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let (bytes, behind) = rest.split_at(end);
        self.rest = behind.get(1..);
        self.number += 1;
        Some(Line { bytes: bytes.trim_ascii(), number: self.number })
    }
}

/// Letters of a line that an error shows at most.
const SHOWN: usize = 40;

impl<'data> Line<'data> {
    /// Without blanks around it.
    pub(super) fn bytes(&self) -> &'data [u8] {
        self.bytes
    }

    pub(super) fn text(&self) -> Result<&'data str, Error> {
        std::str::from_utf8(self.bytes).map_err(|_| self.refused("text"))
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.bytes.starts_with(text.as_bytes())
    }

    /// Whether it is empty or a comment.
    pub(super) fn is_remark(&self) -> bool {
        self.bytes.is_empty() || self.bytes.starts_with(b"#")
    }

    pub(super) fn place(&self) -> Place {
        Place::Line(self.number)
    }

    pub(super) fn refused(&self, expected: &'static str) -> Error {
        let start = self.bytes.get(..4 * SHOWN).unwrap_or(self.bytes);
        let found = String::from_utf8_lossy(start).chars().take(SHOWN).collect();
        Error::Text { place: self.place(), expected, found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let lines: Vec<_> = Lines::of(b" a\r\n\nb").map(|line| (line.number, line.bytes)).collect();
        assert_eq!(lines, [(1, &b"a"[..]), (2, b""), (3, b"b")]);
        assert_eq!(Lines::of(b"a\n").count(), 1);
        assert_eq!(Lines::of(b"").count(), 0);
    }

    #[test]
    fn a_refusal_shows_where_and_what_without_control_characters() {
        let text = format!("\u{1b}[31m{}", "x".repeat(200));
        let line = Lines::of(text.as_bytes()).next().unwrap();
        let expected = format!("line 1: expected a number, found \"\\u{{1b}}[31m{}\"", "x".repeat(35));
        assert_eq!(line.refused("a number").to_string(), expected);
    }
}
