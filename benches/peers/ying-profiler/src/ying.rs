//! Ying's sessions: it has none. It samples from the first allocation on, every so many allocations as it was
//! compiled, and always follows what it samples.

use allometer_workloads::{Answer, Session, Subject, Totals};
use ying_profiler::YingProfiler;

/// The profiler of a program.
pub struct Ying(pub &'static YingProfiler);

impl Subject for Ying {
    fn start(&mut self, _session: Session) -> Answer<()> {
        Ok(())
    }

    fn totals(&self) -> Answer<Totals> {
        let (sites, live_samples) =
            (self.0.num_stack_traces() as u64, self.0.num_outstanding_allocs() as u64);
        Ok(Totals { sites, live_samples, ..Totals::default() })
    }

    fn stop(&mut self) {}
}
