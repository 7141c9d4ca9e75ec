//! What programs do with RustFS's profiler, `rustfs-mimalloc-profiling`, as its own pages and tests show it and a backend of Pyroscope's
//! agent uses it: the same sessions, written for Allometer.
//!
//! A program that installs `SamplingMiMalloc` as its global allocator hands its own scenarios to [`run`], from a test without
//! the standard harness. What comes from the profiler is read with a decoder that shares nothing with its encoder but the format.

mod blocks;
mod reports;
mod sessions;
mod threads;

use allometer_contract::{Scenario, run_scenarios};

/// The whole `main` of the test: what is done with that profiler, then what is of this program alone, each in a process of its own.
pub fn run(own: &[Scenario]) {
    let all = [sessions::SCENARIOS, reports::SCENARIOS, blocks::SCENARIOS, threads::SCENARIOS, own].concat();
    // They are there until the process ends.
    run_scenarios(all.leak());
}
