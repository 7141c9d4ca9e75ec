//! A session over the real hook, in a program with one thread, so that totals can be exact.

use std::{alloc::System, error, hint::black_box};

use allometer_core::{Config, Error, Profiler, SamplingAllocator};
use allometer_profile::{Function, Mapping, Profile, SymbolFile, Symbolization, Symbolizer};
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
    looks_up_as_much_as_the_session_wants()
}

/// Whether the profile names [`buffers`], and tells its line.
fn is_told(profile: &Profile) -> (bool, bool) {
    let is_named = |function: &Function| function.name.ends_with("session::buffers");
    let lines = profile.locations.iter().flat_map(|location| &location.lines);
    let mut of_buffers =
        lines.filter(|line| profile.function(line.function).is_some_and(is_named)).peekable();
    (of_buffers.peek().is_some(), of_buffers.any(|line| line.line != 0))
}

fn looks_up_as_much_as_the_session_wants() -> Result<(), Box<dyn error::Error>> {
    let cases = [
        (Symbolization::Full, (true, true)),
        (Symbolization::Names, (true, false)),
        (Symbolization::None, (false, false)),
    ];
    for (symbolization, expected) in cases {
        let mut profiler =
            Profiler::start(Config::default().sample_interval(1).symbolization(symbolization))?;
        let held = buffers(10);
        let snapshot = profiler.snapshot()?;
        assert_eq!(is_told(&snapshot.profile()), expected, "{symbolization:?}");
        profiler.forget_names();
        let mut profile = Profile::from_pprof(&profiler.report()?)?;
        assert_eq!(is_told(&profile), expected, "{symbolization:?}, a report");
        let report = profiler.reader().clone().report()?;
        assert_eq!(is_told(&Profile::from_pprof(&report)?), expected, "{symbolization:?}, of a clone");
        let own = snapshot.since_start().profile_with(&mut Symbolizer::new());
        assert_eq!(is_told(&own), (true, true), "of a symbolizer that finds more");
        let file = |mapping: &Mapping| Some(SymbolFile::new(&mapping.path).replacing());
        Symbolizer::new().symbolize(&mut profile, file);
        assert_eq!(is_told(&profile), (true, true), "looked up afterwards");
        drop(held);
    }
    Ok(())
}
