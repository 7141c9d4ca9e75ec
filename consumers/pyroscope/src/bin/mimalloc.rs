//! The ledger over mimalloc.

use std::error::Error;

use allometer::{SamplingAllocator, mimalloc::Mimalloc};

#[global_allocator]
static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();

fn main() -> Result<(), Box<dyn Error>> {
    consumer_pyroscope::run()
}
