//! What kills profiled programs, tried on purpose: the lines of the group `survival`.
//!
//! A program that installs a `SamplingAllocator` as its global allocator hands it to [`run`] from a test without the
//! standard harness. Every part of a line runs in a process of its own, driven from outside: one that hangs is killed
//! there, after the stacks of all its threads were written down. Tables are so small that what is rare becomes
//! common, and [`Faulty`], a provider written for this, makes some races certain.
//!
//! | module | owns |
//! |---|---|
//! | `runner` | [`run`], [`run_faulty`] |
//! | `line`, `lines` | what a line of this group is, and all of them |
//! | `subject` | what they are tried on |
//! | `faulty` | [`Faulty`]: memory without locks, null on demand, what was asked, a gate for one thread |
//! | `tables` | configurations with small tables |
//! | `load` | threads that allocate, resize, free, and hand on |
//! | `child` | forked processes, and how they end |
//! | `signals` | handlers, and sending to a thread |
//! | `stepping` | a thread that signals itself after each instruction |
//! | `s01_…` | a line each |

// What does not hold is a panic, as in any test: the runner shows it as a line that is short.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod child;
mod faulty;
mod line;
mod lines;
mod load;
mod runner;
mod s01_forks;
mod s02_signals;
mod s03_refusals;
mod s04_threads;
mod s05_destructors;
mod s06_sessions;
mod s07_libraries;
mod s08_surroundings;
mod s09_calls;
mod s13_cpu_profiler;
mod signals;
mod stepping;
mod subject;
mod tables;

pub use faulty::Faulty;
pub use runner::{run, run_faulty};
