//! The workloads with mimalloc-pprof, which is an allocator and its profiler.

use std::process::ExitCode;

use allometer_workloads::{Answer, Session, Subject, Totals};
use mimalloc_pprof::{MiMalloc, prof};

#[global_allocator]
static ALLOC: MiMalloc = MiMalloc;

/// It always follows what it samples.
struct Peer;

impl Subject for Peer {
    fn start(&mut self, session: Session) -> Answer<()> {
        if prof::start(session.interval as usize) { Ok(()) } else { Err("it does not start".into()) }
    }

    fn totals(&self) -> Answer<Totals> {
        let stats = prof::stats();
        Ok(Totals {
            samples: stats.accum_samples as u64,
            sites: stats.unique_stacks as u64,
            live_samples: stats.live_samples as u64,
            ..Totals::default()
        })
    }

    fn stop(&mut self) {
        prof::stop();
        prof::reset();
    }
}

fn main() -> ExitCode {
    allometer_workloads::run(Peer)
}
