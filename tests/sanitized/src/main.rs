//! A program over the real hook for sanitizers to watch: `allometer-sanitized ROUNDS SCENE`.
//!
//! It has no test harness and shares nothing between threads but its own atomics: what std synchronises by code
//! that was compiled before, without a sanitizer, is no synchronisation to that.
//!
//! | module | owns |
//! |---|---|
//! | `block` | memory from the global allocator, with its length in it |
//! | `exchange` | places where threads leave blocks for each other |
//! | `scenes` | what the threads do |
//! | `planted` | faults that have to be reported |

// A failed expectation is a panic, as in any test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod block;
mod exchange;
mod planted;
mod scenes;

use std::{env, process::ExitCode};

use allometer_core::SamplingAllocator;
use allometer_system::System;

#[global_allocator]
static ALLOCATOR: SamplingAllocator<System> = SamplingAllocator::new();

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [rounds, scene] = &*arguments else { return usage() };
    let Ok(rounds) = rounds.parse() else { return usage() };
    match scene.as_str() {
        "handover" => scenes::handover(rounds),
        "sessions" => scenes::sessions(rounds),
        "bounds" => scenes::bounds(rounds),
        "growth" => scenes::growth(rounds),
        "use-after-free" => planted::use_after_free(),
        "leak" => planted::leak(),
        "race" => planted::race(),
        "uninitialised" => planted::uninitialised(),
        _ => return usage(),
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: allometer-sanitized ROUNDS handover|sessions|bounds|growth, or a planted fault");
    ExitCode::from(2)
}
