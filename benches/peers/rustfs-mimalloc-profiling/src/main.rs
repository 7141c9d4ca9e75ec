//! The workloads with rustfs-mimalloc-profiling, over RustFS's mimalloc.

use std::process::ExitCode;

use allometer_workloads::{Answer, Session, Subject, Totals};
use rustfs_mimalloc::MiMalloc;
use rustfs_mimalloc_profiling::{MimallocConfig, Profiler, SamplingAllocator, mimalloc_stats};

#[global_allocator]
static ALLOC: SamplingAllocator<MiMalloc> = SamplingAllocator::with_allocator(MiMalloc);

/// Its session.
struct Peer(Option<Profiler>);

impl Subject for Peer {
    fn start(&mut self, session: Session) -> Answer<()> {
        let default = MimallocConfig::default();
        self.0 = Some(Profiler::start(MimallocConfig {
            sample_interval_bytes: session.interval,
            live_heap_tracking: session.live,
            // Room for all samples of a run, so that none is dropped, which would be cheap.
            ring_capacity: 1 << 16,
            max_depth: session.depth.unwrap_or(default.max_depth),
            ..default
        })?);
        Ok(())
    }

    fn totals(&self) -> Answer<Totals> {
        let stats = mimalloc_stats();
        let live_samples = stats.live_samples as u64;
        Ok(Totals { samples: stats.recorded_samples, live_samples, ..Totals::default() })
    }

    fn report(&mut self) -> Answer<Vec<u8>> {
        Ok(self.0.as_mut().ok_or("no session runs")?.report()?)
    }

    fn stop(&mut self) {
        self.0 = None;
    }
}

fn main() -> ExitCode {
    allometer_workloads::run(Peer(None))
}
