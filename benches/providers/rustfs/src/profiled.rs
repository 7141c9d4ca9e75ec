//! The workloads over RustFS's mimalloc with the sampler in front of it.

use std::process::ExitCode;

use allometer_core::SamplingAllocator;
use allometer_rustfs::RustfsMimalloc;
use allometer_subject::Allometer;

#[global_allocator]
static ALLOC: SamplingAllocator<RustfsMimalloc> = SamplingAllocator::new();

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Allometer::over(&ALLOC))
}
