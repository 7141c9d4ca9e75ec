//! A small program that says how its stacks are walked.

use allometer::{Config, Profiler, SamplingAllocator, system::System};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let profiler = Profiler::start(Config::default().sample_interval(64 << 10))?;
    let lines: Vec<String> = (0..100_000).map(|number| format!("line {number}")).collect();
    let stats = profiler.stats()?;
    println!("{} lines, {} samples, stacks by {:?}", lines.len(), stats.samples, stats.unwinding);
    Ok(())
}
