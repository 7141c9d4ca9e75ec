use std::{fmt, str::FromStr};

use crate::Error;

/// Most bytes of a program's name in a report's name; the whole stays far below the 255 that a file's name may have.
const MAX_BYTES: usize = 64;
/// What stands for a program without a name.
const NONE: &str = "program";

/// A program's name as it stands in the names of its reports: 1 to 64 letters and digits of ASCII, `_` and `.`, and
/// no `.` in front.
///
/// So it holds no `-`, which separates the parts of a report's name, and nothing that means anything to a shell or a
/// path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramName(String);

impl ProgramName {
    /// The nearest name to `text`: `_` stands for each character that a name cannot have, what is too long is cut,
    /// and nothing becomes `program`.
    ///
    /// ```
    /// use allometer_views::ProgramName;
    ///
    /// assert_eq!(ProgramName::nearest("shop-front end").as_str(), "shop_front_end");
    /// ```
    pub fn nearest(text: &str) -> Self {
        let mut name: String = text
            .chars()
            .map(|letter| if is_allowed(letter) { letter } else { '_' })
            .take(MAX_BYTES)
            .collect();
        if name.starts_with('.') {
            name.replace_range(..1, "_");
        }
        Self(if name.is_empty() { NONE.to_owned() } else { name })
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')
}

impl fmt::Display for ProgramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ProgramName {
    type Err = Error;

    /// The name that is exactly `text`.
    ///
    /// # Errors
    ///
    /// [`Error::ReportName`] if `text` is none.
    fn from_str(text: &str) -> Result<Self, Error> {
        let name = Self::nearest(text);
        let wrong =
            || Error::report_name(text, "1 to 64 of a-z, A-Z, 0-9, `_` and `.` as the program's name");
        if name.0 == text { Ok(name) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_always_one() {
        let long = "é".repeat(300);
        for (text, expected) in [
            ("shop", "shop"),
            ("../etc/passwd", "_._etc_passwd"),
            (".hidden", "_hidden"),
            ("a-b c\n", "a_b_c_"),
            ("", "program"),
            (&long, &"_".repeat(64)),
        ] {
            let name = ProgramName::nearest(text);
            assert_eq!(name.as_str(), expected);
            assert_eq!(expected.parse::<ProgramName>().unwrap(), name);
        }
    }

    #[test]
    fn what_is_no_name_is_refused_with_its_control_characters_escaped() {
        for text in ["", ".a", "a/b", "a-b", "a\u{1b}[2J", &"x".repeat(65)] {
            let error = text.parse::<ProgramName>().unwrap_err().to_string();
            assert!(error.contains("expected 1 to 64") && !error.contains('\u{1b}'), "{error}");
        }
    }
}
