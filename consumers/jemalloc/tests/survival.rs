//! The group `survival` over jemalloc.

use allometer::{SamplingAllocator, jemalloc::Jemalloc};

#[global_allocator]
static ALLOC: SamplingAllocator<Jemalloc> = SamplingAllocator::new();

fn main() {
    allometer_survival::run(&ALLOC);
}
