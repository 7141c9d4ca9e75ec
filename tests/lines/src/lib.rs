//! Groups of targets as test programs.
//!
//! A program that installs a `SamplingAllocator` as its global allocator hands the lines of a group to [`run`] from
//! a test without the standard harness. Every part of a line runs in a process of its own, under a time limit from
//! outside, and each line comes out as one row that other programs can read.
//!
//! | module | owns |
//! |---|---|
//! | `runner` | [`run`]: the command line, a process for each part, a row for each line |
//! | `line` | [`Line`]: what a line is: its number, its target, its parts |
//! | `outcome` | [`Outcome`]: what was measured, and whether it is good enough |
//! | `crew` | [`Crew`]: threads that do what they are told, all at once |
//! | `random` | [`Random`]: the choices of a measurement, the same each time |

// What cannot be measured is a panic, as in any test: the runner shows it as a line that is short.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crew;
mod line;
mod outcome;
mod random;
mod runner;

pub use crew::{Crew, Turns, wait_until, with_crew};
pub use line::{Form, Line, Part};
pub use outcome::{Outcome, Verdict};
pub use random::Random;
pub use runner::{Limits, run};
