//! What holds for every source, over the sampler and RustFS's mimalloc.

use allometer::{Config, SessionSwitch, profile::Switch};
use allometer_contract::Known;
use allometer_rustfs::SamplingMiMalloc;

#[global_allocator]
static ALLOC: SamplingMiMalloc = SamplingMiMalloc::new();

fn main() {
    let make =
        || Box::new(SessionSwitch::new(Config::default().sample_interval(4096).seed(7))) as Box<dyn Switch>;
    allometer_contract::run_sources(make, Known::default());
}
