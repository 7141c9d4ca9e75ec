//! What programs do with RustFS's name `SamplingMiMalloc`, over the `mimalloc` crate.

use std::path::Path;

use allometer::{Config, Profiler, Provider, SamplingMiMalloc};
use allometer_contract::scenario;

#[global_allocator]
static GLOBAL: SamplingMiMalloc = SamplingMiMalloc::new();

fn main() {
    allometer_migrating::rustfs::run(&[scenario("profiles_name_the_allocator", profiles_name_the_allocator)]);
}

fn profiles_name_the_allocator(_: &Path) {
    let profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let profile = profiler.snapshot().unwrap().profile();
    assert_eq!(profile.metadata.provider.as_deref(), Some("mimalloc"));
    assert_eq!(GLOBAL.provider().name(), "mimalloc");
}
