//! One line of the group: a measurement, and what it has to be.

use crate::{outcome::Outcome, subject::Subject};

/// One line of the group.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// Its number in the table of targets: `X1` and up.
    pub(crate) number: &'static str,
    /// What is asked for, in few words.
    pub(crate) target: &'static str,
    /// Measures it, in a process that does nothing else.
    pub(crate) run: fn(&Subject, Form) -> Outcome,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In seconds: fewer seeds, objects or time, with tolerances that follow from that.
    Quick,
    /// As the table of targets asks for.
    Full,
}

impl Form {
    /// One of two numbers.
    pub(crate) fn pick<T>(self, quick: T, full: T) -> T {
        if self == Self::Quick { quick } else { full }
    }
}
