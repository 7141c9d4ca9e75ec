//! The workloads of the benches over mimalloc, with the sampler in front of it.

use std::process::ExitCode;

use allometer_rustfs::RustfsMimalloc;
use allometer_subject::Allometer;
use consumer_rustfs_native::ALLOC;

fn main() -> ExitCode {
    allometer_workloads::run(Allometer::<RustfsMimalloc>::over(&ALLOC))
}
