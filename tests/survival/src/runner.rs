//! The group as a test program.

use std::time::Duration;

use allometer_core::SamplingAllocator;
use allometer_lines::Limits;
use allometer_provider::{Custom, Provider};

use crate::{Faulty, lines, subject::Subject};

const LIMITS: Limits = Limits { quick: Duration::from_secs(300), full: Duration::from_secs(1800) };

/// Tries the faults on the program's global allocator, as [`allometer_lines::run`] does.
pub fn run<A: Provider>(allocator: &'static SamplingAllocator<A>) -> ! {
    allometer_lines::run(lines::ALL, &Subject::new(allocator, None), LIMITS)
}

/// The same over the provider with faults, and with the lines that need one.
pub fn run_faulty(allocator: &'static SamplingAllocator<Custom<Faulty>>) -> ! {
    let faulty = Some(allocator.provider().get());
    allometer_lines::run(lines::ALL, &Subject::new(allocator, faulty), LIMITS)
}
