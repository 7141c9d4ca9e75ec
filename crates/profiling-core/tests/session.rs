//! A session over the real hook, in a program with one thread, so that totals can be exact.

use std::{alloc::System, error, hint::black_box};

use allometer_core::{Config, Error, Profiler, SamplingAllocator};
use allometer_provider::Custom;

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<System>> =
    SamplingAllocator::with_provider(Custom::new("system", System));

#[inline(never)]
fn buffers(count: usize) -> Vec<Vec<u8>> {
    black_box((0..count).map(|_| vec![1; 100]).collect())
}

fn main() -> Result<(), Box<dyn error::Error>> {
    let config = Config::default().sample_interval(1);
    let mut profiler = Profiler::start(config.clone())?;
    assert!(matches!(Profiler::start(config), Err(Error::AlreadyActive)));

    let before = profiler.snapshot()?;
    let held = buffers(1000);
    let after = profiler.snapshot()?;
    let span = after.since(&before)?;
    let alloc = span.totals().alloc;
    assert_eq!((alloc.objects.value, alloc.objects.variance), (1001.0, 0.0));
    assert_eq!(alloc.bytes.value, 1000.0 * (100 + size_of::<Vec<u8>>()) as f64);
    assert_eq!(after.totals().live.objects.value - before.totals().live.objects.value, 1001.0);
    assert_eq!(after.live_samples().len() - before.live_samples().len(), 1001);
    drop(held);
    assert_eq!(profiler.snapshot()?.totals().live, before.totals().live);

    let profile = span.profile();
    let functions: Vec<_> = profile.functions.iter().map(|function| function.name.as_str()).collect();
    assert!(functions.iter().any(|name| name.ends_with("session::buffers")), "{functions:?}");
    for sample in &profile.samples {
        let leaf = &profile.locations[sample.stack[0].0 as usize];
        for line in &leaf.lines {
            let name = &profile.functions[line.function.0 as usize].name;
            let is_ours = name.contains("SamplingAllocator") || name.contains("__r");
            assert!(!is_ours, "{name} is the hook's or the shim's");
        }
    }
    let stats = profiler.stats()?;
    assert_eq!((stats.threads, stats.untracked.samples, stats.site_overflow.samples), (1, 0, 0));

    profiler.stop();
    assert!(matches!(profiler.snapshot(), Err(Error::Inactive)));
    Ok(())
}
