//! The workloads over RustFS's mimalloc alone.

use std::process::ExitCode;

use allometer_rustfs::RustfsMimalloc;
use allometer_workloads::Bare;

#[global_allocator]
static ALLOC: RustfsMimalloc = RustfsMimalloc;

allometer_workloads::hook!(ALLOC);

fn main() -> ExitCode {
    allometer_workloads::run(Bare)
}
