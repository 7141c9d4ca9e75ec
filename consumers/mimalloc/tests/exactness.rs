//! The group `exactness` over mimalloc.

use allometer::{SamplingAllocator, mimalloc::Mimalloc};

#[global_allocator]
static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();

fn main() {
    allometer_exactness::run(&ALLOC);
}
