//! The workloads over std's System with the sampler in front of it.

use std::process::ExitCode;

use allometer_core::SamplingAllocator;
use allometer_subject::Allometer;
use allometer_system::System;

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Allometer::over(&ALLOC))
}
