//! The group `survival` over an allocator that a signal may interrupt, and that has faults on demand.

use allometer::{Custom, SamplingAllocator};
use allometer_survival::Faulty;

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<Faulty>> =
    SamplingAllocator::with_provider(Custom::new("faulty", Faulty::new()));

fn main() {
    allometer_survival::run_faulty(&ALLOC);
}
