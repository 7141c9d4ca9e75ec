//! One conformance suite, run unchanged over every provider.
//!
//! A program that installs a `SamplingAllocator` as its global allocator hands it to [`run`] from a test
//! without the standard harness. Every check runs in a process of its own, because a session is one for the
//! whole process and a check that hangs must not take the others with it: the program starts itself once a
//! check and stops a check that exceeds its time limit from outside.
//!
//! Checks find their own allocations in a profile by the name of the function that made them, so that what
//! the rest of the program allocates does not matter. Profiles are read with message types of this crate's
//! own, which share nothing with the encoder but the format.
//!
//! | module | owns |
//! |---|---|
//! | `runner` | [`run`], [`run_with`]: the checks as tests of libtest's command line |
//! | `process` | [`output`]: a process of its own for a check, under a time limit; [`stacks`] of its threads |
//! | `scenario` | [`Scenario`]: a process of its own for what other tests do with a session |
//! | `check` | [`Check`], [`Subject`] |
//! | `checks` | the suite, a file for each subject |
//! | `sources` | [`run_sources`]: the part of it that holds for every source of profiles |
//! | `memory` | [`resident`]: what the operating system says of this process |
//! | `block` | [`Block`]: memory from the global allocator, by its four calls |
//! | `recording` | [`Recording`]: a session, and spans of it read back from their pprof |
//! | `decoded` | [`Decoded`]: what a pprof says of one function |
//! | `pprof` | the messages of the format |

// A failed expectation of a check is a panic, as in any test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod block;
mod check;
mod checks;
mod decoded;
mod memory;
mod pprof;
mod process;
mod recording;
mod runner;
mod scenario;
mod sources;

pub use block::Block;
pub use check::{Check, Subject};
pub use decoded::{Decoded, Values};
pub use memory::resident;
pub use process::{output, stacks};
pub use recording::Recording;
pub use runner::{run, run_with};
pub use scenario::{Scenario, run_scenarios, run_scenarios_with, scenario};
pub use sources::{Known, run_sources};
