//! The workloads over std's System alone.

use std::process::ExitCode;

use allometer_system::System;
use allometer_workloads::Bare;

#[global_allocator]
static ALLOC: System = System;

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Bare)
}
