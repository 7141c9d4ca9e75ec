//! Allometer as the profiler that a bench measures.

mod counting;

use allometer_core::{Config, Profiler, Provider, SamplingAllocator};
use allometer_workloads::{Answer, Session, Subject, Totals};

pub use counting::Counting;

/// The sampler over a provider, and its session.
#[derive(Debug)]
pub struct Allometer<A: 'static> {
    allocator: &'static SamplingAllocator<A>,
    profiler: Option<Profiler>,
    allocated: Option<fn() -> (u64, u64)>,
}

impl<A> Allometer<A> {
    /// The profiler of a program whose global allocator is `allocator`.
    #[must_use]
    pub fn over(allocator: &'static SamplingAllocator<A>) -> Self {
        Self { allocator, profiler: None, allocated: None }
    }

    /// The same, where what is allocated is counted: as [`Counting::allocated`] tells it.
    #[must_use]
    pub fn counted_by(self, allocated: fn() -> (u64, u64)) -> Self {
        Self { allocated: Some(allocated), ..self }
    }

    fn profiler(&mut self) -> Answer<&mut Profiler> {
        Ok(self.profiler.as_mut().ok_or("no session runs")?)
    }
}

impl<A: Provider> Subject for Allometer<A> {
    fn start(&mut self, session: Session) -> Answer<()> {
        // Always the same seed: runs with and without live tracking sample the same requests.
        let config = Config::from_env()?.sample_interval(session.interval).live_heap(session.live).seed(1);
        let config = match session.depth {
            Some(depth) => config.max_depth(depth),
            None => config,
        };
        self.profiler = Some(Profiler::start(config)?);
        Ok(())
    }

    fn totals(&self) -> Answer<Totals> {
        let profiler = self.profiler.as_ref().ok_or("no session runs")?;
        let stats = profiler.stats()?;
        let snapshot = profiler.snapshot()?;
        let span = snapshot.since_start();
        let allocated = span.totals().alloc;
        Ok(Totals {
            samples: stats.samples,
            sites: stats.sites as u64,
            live_samples: stats.live_samples as u64,
            objects: allocated.objects.value,
            bytes: allocated.bytes.value,
            lost: stats.untracked.samples + stats.site_overflow.samples,
        })
    }

    fn deepest(&self) -> Answer<u64> {
        let profiler = self.profiler.as_ref().ok_or("no session runs")?;
        let samples = profiler.snapshot()?.profile().samples;
        Ok(samples.iter().map(|sample| sample.stack.len() as u64).max().unwrap_or_default())
    }

    fn report(&mut self) -> Answer<Vec<u8>> {
        Ok(self.profiler()?.report()?)
    }

    fn packed_report(&mut self) -> Answer<Vec<u8>> {
        Ok(self.profiler()?.snapshot()?.profile().to_pprof_gzip())
    }

    fn forget_names(&mut self) {
        if let Some(profiler) = &mut self.profiler {
            profiler.forget_names();
        }
    }

    fn allocated(&self) -> Answer<(u64, u64)> {
        Ok(self.allocated.ok_or("what is allocated is not counted")?())
    }

    fn stop(&mut self) {
        self.profiler = None;
    }

    fn purge(&self) {
        self.allocator.provider().purge();
    }
}
