//! The workloads of the benches over mimalloc; in a session, mimalloc itself finds the requests.

use std::process::ExitCode;

use allometer::Config;
use allometer_rustfs::{NativeProfiler, RustfsMimalloc};
use allometer_workloads::{Answer, Session, Subject, Totals};

#[global_allocator]
static ALLOC: RustfsMimalloc = RustfsMimalloc;

struct Native(Option<NativeProfiler>);

impl Subject for Native {
    fn start(&mut self, Session { interval, live, .. }: Session) -> Answer<()> {
        let config = Config::default().sample_interval(interval).live_heap(live).seed(1);
        self.0 = Some(NativeProfiler::start(config)?);
        Ok(())
    }

    fn totals(&self) -> Answer<Totals> {
        Err("what is counted is not told".into())
    }

    fn stop(&mut self) {
        self.0 = None;
    }
}

fn main() -> ExitCode {
    allometer_workloads::run(Native(None))
}
