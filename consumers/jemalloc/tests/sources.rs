//! What holds for every source, over the sampler and jemalloc.

use allometer::{Config, SamplingAllocator, SessionSwitch, jemalloc::Jemalloc, profile::Switch};
use allometer_contract::Known;

#[global_allocator]
static ALLOC: SamplingAllocator<Jemalloc> = SamplingAllocator::new();

fn main() {
    let make =
        || Box::new(SessionSwitch::new(Config::default().sample_interval(4096).seed(7))) as Box<dyn Switch>;
    allometer_contract::run_sources(make, Known::default());
}
