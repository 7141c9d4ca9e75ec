//! The group `exactness` over an allocator that moves, refuses and hands on as it is told.

use allometer::{Custom, SamplingAllocator};
use allometer_exactness::Scripted;

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<Scripted>> =
    SamplingAllocator::with_provider(Custom::new("scripted", Scripted::new()));

fn main() {
    allometer_exactness::run_scripted(&ALLOC);
}
