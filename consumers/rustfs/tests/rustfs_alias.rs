//! What programs do with RustFS's name `SamplingMiMalloc`, over RustFS's mimalloc.

use std::path::Path;

use allometer::{Config, Profiler, Provider};
use allometer_contract::scenario;
use allometer_rustfs::SamplingMiMalloc;

#[global_allocator]
static GLOBAL: SamplingMiMalloc = SamplingMiMalloc::new();

fn main() {
    allometer_migrating::rustfs::run(&[scenario("profiles_name_the_allocator", profiles_name_the_allocator)]);
}

fn profiles_name_the_allocator(_: &Path) {
    let profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let profile = profiler.snapshot().unwrap().profile();
    assert_eq!(profile.metadata.provider.as_deref(), Some("rustfs-mimalloc"));
    assert_eq!(GLOBAL.provider().name(), "rustfs-mimalloc");
}
