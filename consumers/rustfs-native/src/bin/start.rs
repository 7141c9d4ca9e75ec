//! Starts a session whose requests mimalloc finds, and says what became of it.

use std::process::ExitCode;

use allometer::Config;
use allometer_rustfs::{NativeProfiler, RustfsMimalloc};

#[global_allocator]
static ALLOC: RustfsMimalloc = RustfsMimalloc;

fn main() -> ExitCode {
    match NativeProfiler::start(Config::default()) {
        Ok(profiler) => {
            println!("started: {}", profiler.reader().is_active());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
