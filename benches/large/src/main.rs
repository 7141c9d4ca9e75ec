//! What a report takes of memory in a program with much debug information: `large footprint N interval=1`, after the
//! service has served.

mod service;

use std::{alloc::System, process::ExitCode};

use allometer_core::{Custom, SamplingAllocator};
use allometer_subject::{Allometer, Counting};
use allometer_workloads::{Answer, Session, Subject, Totals};

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<Counting<System>>> =
    SamplingAllocator::with_provider(Custom::new("counted", Counting::new(System)));

/// The profiler, and the service that runs beside it from its start on.
struct Service {
    profiler: Allometer<Custom<Counting<System>>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Subject for Service {
    fn start(&mut self, session: Session) -> Answer<()> {
        self.profiler.start(session)?;
        self.runtime = Some(service::serve(20).map_err(|error| error as Box<dyn std::error::Error>)?);
        Ok(())
    }

    fn totals(&self) -> Answer<Totals> {
        self.profiler.totals()
    }

    fn report(&mut self) -> Answer<Vec<u8>> {
        self.profiler.report()
    }

    fn forget_names(&mut self) {
        self.profiler.forget_names();
    }

    fn allocated(&self) -> Answer<(u64, u64)> {
        self.profiler.allocated()
    }

    fn stop(&mut self) {
        self.runtime = None;
        self.profiler.stop();
    }
}

fn main() -> ExitCode {
    let profiler = Allometer::over(&ALLOC).counted_by(|| ALLOC.provider().get().allocated());
    allometer_workloads::run(Service { profiler, runtime: None })
}
