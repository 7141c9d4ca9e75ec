//! A program that starts the profiler without having installed the sampling allocator.

use std::process::ExitCode;

use allometer::{Config, Profiler};

fn main() -> ExitCode {
    match Profiler::start(Config::default()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("consumer-bare: {error}");
            ExitCode::FAILURE
        }
    }
}
