//! The group as a test program.

use std::time::Duration;

use allometer_core::SamplingAllocator;
use allometer_lines::Limits;
use allometer_provider::{Custom, Provider};

use crate::{Scripted, lines, subject::Subject};

const LIMITS: Limits = Limits { quick: Duration::from_secs(300), full: Duration::from_secs(3 * 3600) };

/// Measures the group over the program's global allocator, as [`allometer_lines::run`] does.
pub fn run<A: Provider>(allocator: &'static SamplingAllocator<A>) -> ! {
    allometer_lines::run(lines::ALL, &Subject::new(allocator, None), LIMITS)
}

/// The same over an allocator that does as it is told, and with the lines that need one.
pub fn run_scripted(allocator: &'static SamplingAllocator<Custom<Scripted>>) -> ! {
    let script = Some(allocator.provider().get());
    allometer_lines::run(lines::ALL, &Subject::new(allocator, script), LIMITS)
}
