//! Starts jemalloc's profiler, and says what became of it.

use std::process::ExitCode;

use allometer::{
    jemalloc::{JemallocConfig, JemallocProfiler, JemallocReader},
    profile::Source,
};
use consumer_jemalloc_native as _;

fn main() -> ExitCode {
    let profile = match JemallocProfiler::start(&JemallocConfig::default()) {
        Ok(profiler) => profiler.reader().moment(),
        Err(error) => {
            eprintln!("{error}");
            let attached = JemallocReader::attach(&JemallocConfig::default());
            eprintln!(
                "attach: {}",
                attached.map_or_else(|error| error.to_string(), |_| "attached".to_owned())
            );
            return ExitCode::FAILURE;
        }
    };
    match profile {
        Ok(moment) => println!("started: {} bytes are live", moment.totals().live.bytes.rounded()),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
