//! The group `survival` over mimalloc.

use allometer::{SamplingAllocator, mimalloc::Mimalloc};

#[global_allocator]
static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();

fn main() {
    allometer_survival::run(&ALLOC);
}
