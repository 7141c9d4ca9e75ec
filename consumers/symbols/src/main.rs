//! A small program that writes its heap profile twice: with names, and with none, of the same samples.
//!
//! `consumer-symbols DIRECTORY`, which has to be there: it writes `named.pb`, `unnamed.pb`, and `expected.txt`, the lines
//! on which some functions make a call.

mod places;

use std::{env, error::Error, fmt::Write, fs, path::PathBuf};

use allometer::{Config, Profiler, SamplingAllocator, Symbolization, profile::Symbolizer, system::System};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args_os().nth(1).map(PathBuf::from).ok_or("usage: consumer-symbols DIRECTORY")?;
    let mut profiler = Profiler::start(Config::default().sample_interval(1))?;
    let held = places::allocate();
    let snapshot = profiler.snapshot()?;
    profiler.stop();

    for (name, symbolization) in [("named", Symbolization::Full), ("unnamed", Symbolization::None)] {
        let profile = snapshot.since_start().profile_with(&mut Symbolizer::with(symbolization));
        fs::write(directory.join(name).with_extension("pb"), profile.to_pprof())?;
    }
    let mut expected = String::new();
    for (function, line) in held.calls {
        writeln!(expected, "{function} {line}")?;
    }
    fs::write(directory.join("expected.txt"), expected)?;
    Ok(())
}
