//! What holds for every source, over the sampler and std's `System`.

use allometer::{Config, SamplingAllocator, SessionSwitch, profile::Switch, system::System};
use allometer_contract::Known;

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

fn main() {
    let make =
        || Box::new(SessionSwitch::new(Config::default().sample_interval(4096).seed(7))) as Box<dyn Switch>;
    allometer_contract::run_sources(make, Known::default());
}
