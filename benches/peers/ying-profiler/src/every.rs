//! The workloads with ying-profiler, over std's System, when it samples every allocation.

mod ying;

use std::process::ExitCode;

use ying_profiler::YingProfiler;

#[global_allocator]
static ALLOC: YingProfiler = YingProfiler::new(1, 64 << 30);

fn main() -> ExitCode {
    allometer_workloads::run(ying::Ying(&ALLOC))
}
