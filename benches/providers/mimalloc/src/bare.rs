//! The workloads over mimalloc alone.

use std::process::ExitCode;

use allometer_mimalloc::Mimalloc;
use allometer_workloads::Bare;

#[global_allocator]
static ALLOC: Mimalloc = Mimalloc;

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Bare)
}
