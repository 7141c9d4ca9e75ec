//! RustFS's name for the wrapped allocator, over the `mimalloc` crate.

use allometer::{Config, Profiler, Provider, SamplingMiMalloc};

#[global_allocator]
static ALLOC: SamplingMiMalloc = SamplingMiMalloc::new();

#[test]
fn it_samples_and_names_the_allocator_it_stands_for() {
    let profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let profile = profiler.snapshot().unwrap().profile();
    assert_eq!(profile.metadata.provider.as_deref(), Some("mimalloc"));
    assert_eq!(ALLOC.provider().name(), "mimalloc");
}
