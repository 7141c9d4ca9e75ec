use allometer_core::{Error, Reader};
use allometer_profile::Profile;
use pyroscope::{
    PyroscopeError, Result,
    backend::{Backend, BackendImpl, BackendUninitialized, ReportBatch, ReportData, ThreadTag},
};

/// What the server calls profiles of the heap.
const PROFILE_TYPE: &str = "memory";

/// A backend for the agent that reports what `reader` reads, for an agent's builder to take.
///
/// Its reports follow each other without a gap, from when the agent is built: what was allocated before is in no report,
/// what is live of it is in all of them. Names are looked up on the agent's thread, once for each address. The sample rate
/// of the builder means nothing here: how much is sampled is for the session to say
/// ([`Config::sample_interval`](allometer_core::Config::sample_interval)).
///
/// A reader belongs to one session. If that is not active, the agent is not built; when it is stopped, what follows is
/// empty reports and a warning in the log for each, since an agent ends, without a word, at the first error of a report.
/// A session that starts later wants another agent.
///
/// Tags that the agent sets for a thread are not used, as with its backend for jemalloc: what memory is for is said with
/// [`tag`](allometer_core::tag), or by spans.
#[must_use]
pub fn backend(reader: Reader) -> BackendImpl<BackendUninitialized> {
    BackendImpl::new(Box::new(Heap { reader }))
}

/// The reports of one session.
struct Heap {
    reader: Reader,
}

impl Backend for Heap {
    fn initialize(&mut self) -> Result<()> {
        self.reader.begin_report().map_err(error)
    }

    fn shutdown(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn report(&mut self) -> Result<ReportBatch> {
        // Never an error: the agent's thread would end with it, and whoever stops the agent wait for ever.
        let report = self.reader.report().unwrap_or_else(|error| {
            log::warn!("the heap of this interval is reported as empty: {error}");
            Profile::default().to_pprof()
        });
        Ok(ReportBatch { profile_type: PROFILE_TYPE.to_owned(), data: ReportData::RawPprof(report) })
    }

    fn add_tag(&self, _: ThreadTag) -> Result<()> {
        Ok(())
    }

    fn remove_tag(&self, _: ThreadTag) -> Result<()> {
        Ok(())
    }
}

fn error(source: Error) -> PyroscopeError {
    PyroscopeError::new_with_source(&format!("the heap cannot be profiled: {source}"), source)
}
