//! How exact the profiles are: the lines of the group `exactness`, each a measurement with a target.
//!
//! A program that installs a `SamplingAllocator` as its global allocator hands it to [`run`] from a test
//! without the standard harness. Every line runs in a process of its own, under a time limit, and goes the
//! whole way: from requests through the real hook and the real provider to a pprof that is decoded by
//! message types which share nothing with the encoder. What a line expects it computes itself from the
//! true sizes; seeds are fixed.
//!
//! | module | owns |
//! |---|---|
//! | `runner` | [`run`], [`run_scripted`] |
//! | `line`, `lines` | what a line of this group is, and all of them |
//! | `subject` | what they are measured on |
//! | `scripted` | [`Scripted`]: an allocator that moves, refuses and hands on as it is told |
//! | `expected` | probabilities and variances from the formulas |
//! | `statistics` | goodness of fit: Anderson–Darling, Kolmogorov–Smirnov, chi-squared |
//! | `sites`, `paths` | functions and stacks that a profile tells apart |
//! | `account` | what was really requested and freed, kept by the threads that did it |
//! | `named` | what a profile says of one function before it is encoded |
//! | `x01_…` | a line each |

// A measurement that cannot be made is a panic, as in any test: the runner shows it as a line that is short.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod account;
mod expected;
mod line;
mod lines;
mod named;
mod paths;
mod runner;
mod scripted;
mod sites;
mod statistics;
mod subject;
mod x01_layouts;
mod x02_running_threads;
mod x03_poisson;
mod x04_sizes;
mod x05_mixed;
mod x06_vectors;
mod x07_go_vectors;
mod x08_coverage;
mod x09_leak;
mod x10_lossless;
mod x11_first_sample;
mod x12_thinning;
mod x13_handed_on;
mod x14_same_program;

pub use runner::{run, run_scripted};
pub use scripted::{Resizing, Scripted};
