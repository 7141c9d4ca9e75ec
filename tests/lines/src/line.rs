//! One line of a group: what is asked for, and how it is measured.

use crate::Outcome;

/// One line of a group, measured on a subject.
#[derive(Clone, Copy, Debug)]
pub struct Line<S: 'static> {
    /// Its number in the table of targets: `X1` and up.
    pub number: &'static str,
    /// What is asked for, in few words.
    pub target: &'static str,
    /// What it consists of; none on a subject that it is not about.
    pub parts: fn(&S) -> &'static [Part<S>],
}

/// What is measured in one process, which does nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Part<S: 'static> {
    /// Tells it from others of its line; empty for the only one.
    pub name: &'static str,
    /// Measures it.
    pub run: fn(&S, Form) -> Outcome,
}

impl<S> Part<S> {
    /// The only part of a line.
    pub const fn only(run: fn(&S, Form) -> Outcome) -> Self {
        Self { name: "", run }
    }

    /// One of several.
    pub const fn new(name: &'static str, run: fn(&S, Form) -> Outcome) -> Self {
        Self { name, run }
    }
}

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In seconds: fewer seeds, objects or time, with tolerances that follow from that.
    Quick,
    /// As the table of targets asks for.
    Full,
}

impl Form {
    /// One of two numbers.
    pub fn pick<T>(self, quick: T, full: T) -> T {
        if self == Self::Quick { quick } else { full }
    }
}
