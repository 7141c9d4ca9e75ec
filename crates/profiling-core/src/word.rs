//! The words of the variable `ALLOMETER`.

use std::env;

use crate::{Error, os};

/// The variable that says how a program is profiled.
const VARIABLE: &str = "ALLOMETER";

/// A word of the variable `ALLOMETER`: `key:value`, or a key alone. Words are separated by commas.
///
/// [`Config::set`](crate::Config::set) takes those that are about sessions; whoever starts something else at a program's start takes
/// its own from the same variable.
///
/// ```
/// use allometer_core::{Config, Word};
///
/// let mut config = Config::default();
/// for word in Word::of("interval:64KiB,colour:red") {
///     if !config.set(&word)? {
///         assert_eq!(word.wrong("a word that is known").to_string(), "ALLOMETER: `colour:red`: expected a word that is known");
///     }
/// }
/// assert_eq!(config, Config::default().sample_interval(65_536));
/// # Ok::<(), allometer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word(String);

impl Word {
    /// The words of this process's variable; `None` where it is not set.
    ///
    /// It counts as not set in a process that has more rights than who started it (`AT_SECURE`), as with setuid: it is that
    /// one's.
    pub fn from_env() -> Option<Vec<Self>> {
        if os::is_secure() {
            return None;
        }
        env::var_os(VARIABLE).map(|text| Self::of(&text.to_string_lossy()).collect())
    }

    /// The words of a text. What is empty between two commas is none.
    pub fn of(text: &str) -> impl Iterator<Item = Self> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| Self(word.to_owned()))
    }

    /// What stands before the first colon, or all of it.
    pub fn key(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(key, _)| key)
    }

    /// What stands behind the first colon; `None` where there is none.
    pub fn value(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, value)| value)
    }

    /// The error for a word that is not understood.
    pub fn wrong(&self, expected: impl Into<String>) -> Error {
        Error::Environment { variable: VARIABLE, word: self.0.clone(), expected: expected.into() }
    }

    /// The value as `read` understands it.
    ///
    /// # Errors
    ///
    /// [`Word::wrong`] where it does not.
    pub fn read<T>(&self, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T, Error> {
        let value = self.value().filter(|value| !value.is_empty());
        value.and_then(read).ok_or_else(|| self.wrong(format!("{}:{expected}", self.key())))
    }

    /// A whole number of bytes, with `B`, `KiB`, `MiB` or `GiB` behind it or nothing.
    ///
    /// # Errors
    ///
    /// [`Word::wrong`]
    pub fn size(&self) -> Result<u64, Error> {
        self.read("SIZE, a whole number with B, KiB, MiB or GiB", parse_size)
    }

    /// A whole number.
    ///
    /// # Errors
    ///
    /// [`Word::wrong`]
    pub fn number(&self) -> Result<u64, Error> {
        self.read("N, a whole number", |value| value.parse().ok())
    }

    /// `true` or `false`.
    ///
    /// # Errors
    ///
    /// [`Word::wrong`]
    pub fn flag(&self) -> Result<bool, Error> {
        self.read("true or false", |value| value.parse().ok())
    }
}

/// A whole number of bytes, with an optional binary unit.
fn parse_size(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_a_key_and_perhaps_a_value() {
        let words: Vec<Word> = Word::of(" interval:64KiB,, on ,dir:/a:b,").collect();
        let parts: Vec<_> = words.iter().map(|word| (word.key(), word.value())).collect();
        assert_eq!(parts, [("interval", Some("64KiB")), ("on", None), ("dir", Some("/a:b"))]);
    }

    #[test]
    fn values_are_whole_and_within_their_range() {
        let of = |text: &str| Word(text.to_owned());
        assert_eq!(of("a:7").size(), Ok(7));
        assert_eq!(of("a:3GiB").size(), Ok(3 << 30));
        assert_eq!(of("a:18446744073709551615").number(), Ok(u64::MAX));
        assert_eq!((of("a:true").flag(), of("a:false").flag()), (Ok(true), Ok(false)));
        for word in ["a", "a:", "a:5MB", "a:-1", "a:99999999999GiB", "a:1.5KiB"] {
            let expected =
                format!("ALLOMETER: `{word}`: expected a:SIZE, a whole number with B, KiB, MiB or GiB");
            assert_eq!(of(word).size().unwrap_err().to_string(), expected);
        }
        assert!(of("a:1").flag().is_err() && of("a:99999999999999999999").number().is_err());
    }
}
