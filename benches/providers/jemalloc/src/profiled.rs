//! The workloads over jemalloc with the sampler in front of it.

use std::process::ExitCode;

use allometer_core::SamplingAllocator;
use allometer_jemalloc::Jemalloc;
use allometer_subject::Allometer;

#[global_allocator]
static ALLOC: SamplingAllocator<Jemalloc> = SamplingAllocator::new();

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Allometer::over(&ALLOC))
}
