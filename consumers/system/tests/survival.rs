//! The group `survival` over std's `System`.

use allometer::{SamplingAllocator, system::System};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

fn main() {
    allometer_survival::run(&ALLOC);
}
