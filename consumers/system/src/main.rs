//! A small program with its heap profiled: what a user of `System` writes.

use allometer::{Config, Profiler, Provider, SamplingAllocator, system::System};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let profiler = Profiler::start(Config::default().sample_interval(64 << 10))?;
    let lines: Vec<String> = (0..100_000).map(|number| format!("line {number}")).collect();
    let profile = profiler.snapshot()?.profile();
    println!("{}", allometer::views::top(&profile, 10));
    println!("{} lines, {:?}", lines.len(), ALLOC.provider().stats());
    Ok(())
}
