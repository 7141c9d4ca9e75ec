//! The workloads over jemalloc alone.

use std::process::ExitCode;

use allometer_jemalloc::Jemalloc;
use allometer_workloads::Bare;

#[global_allocator]
static ALLOC: Jemalloc = Jemalloc;

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Bare)
}
