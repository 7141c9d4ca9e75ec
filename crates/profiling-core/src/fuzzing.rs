//! Parsers that are no part of the interface, for the fuzz targets of this workspace.

use crate::{Config, Error, Word};

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use crate::capture::fuzzing::{CODE, Leaving, has_rule, stack_in, walk};

/// The configuration that these words of the environment ask for.
///
/// # Errors
///
/// As [`Config::from_env`].
pub fn configuration(words: &str) -> Result<Config, Error> {
    Config::from_words(Word::of(words))
}
