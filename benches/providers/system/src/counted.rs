//! The workloads over std's System with the sampler in front of it, and what is allocated counted.

use std::{alloc::System, process::ExitCode};

use allometer_core::{Custom, SamplingAllocator};
use allometer_subject::{Allometer, Counting};

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<Counting<System>>> =
    SamplingAllocator::with_provider(Custom::new("counted", Counting::new(System)));

fn main() -> ExitCode {
    let subject = Allometer::over(&ALLOC).counted_by(|| ALLOC.provider().get().allocated());
    allometer_workloads::run(subject)
}
