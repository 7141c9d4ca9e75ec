//! The ledger over an allocator that the profiler has no provider for.

use std::{alloc::System, error::Error};

use allometer::{Custom, SamplingAllocator};

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<System>> =
    SamplingAllocator::with_provider(Custom::new("by hand", System));

fn main() -> Result<(), Box<dyn Error>> {
    consumer_pyroscope::run()
}
