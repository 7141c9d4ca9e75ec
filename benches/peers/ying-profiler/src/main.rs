//! The workloads with ying-profiler, over std's System, at its default rate.

mod ying;

use std::process::ExitCode;

use ying_profiler::YingProfiler;

#[global_allocator]
static ALLOC: YingProfiler = YingProfiler::default();

fn main() -> ExitCode {
    allometer_workloads::run(ying::Ying(&ALLOC))
}
