use allometer_profile::{Moment, Profile, Source, SourceError, Symbolizer};
use pyroscope::{
    PyroscopeError, Result,
    backend::{Backend, BackendImpl, BackendUninitialized, ReportBatch, ReportData, ThreadTag},
};

/// What the server calls profiles of the heap.
const PROFILE_TYPE: &str = "memory";

/// A backend for the agent that reports what `source` reads, such as a session's `Reader`, for an agent's builder to take.
///
/// Its reports follow each other without a gap, from when the agent is built: what was allocated before is in no report,
/// what is live of it is in all of them. Names are looked up on the agent's thread, once for each address. The sample rate
/// of the builder means nothing here: how much is sampled is for the session to say, as with `Config::sample_interval`.
///
/// A source belongs to one session. If that is not active, the agent is not built; when it is stopped, what follows is
/// empty reports and a warning in the log for each, since an agent ends, without a word, at the first error of a report.
/// A session that starts later wants another agent.
///
/// Tags that the agent sets for a thread are not used, as with its backend for jemalloc: what memory is for is said with
/// `allometer::tag`, or by spans.
#[must_use]
pub fn backend(source: impl Source + 'static) -> BackendImpl<BackendUninitialized> {
    let symbolizer = Symbolizer::with(source.symbolization());
    BackendImpl::new(Box::new(Heap { source: Box::new(source), before: None, symbolizer }))
}

/// The reports of one session.
struct Heap {
    source: Box<dyn Source>,
    /// Where the last report ended.
    before: Option<Box<dyn Moment>>,
    symbolizer: Symbolizer,
}

impl Heap {
    /// What was allocated since the last report, and what is live: an uncompressed pprof.
    fn next(&mut self) -> std::result::Result<Vec<u8>, SourceError> {
        let Self { source, before, symbolizer } = self;
        source.left_out(|| {
            let now = source.moment()?;
            let profile = match &before {
                Some(before) => now.profile_since(&**before, symbolizer)?,
                None => now.profile(symbolizer),
            };
            *before = Some(now);
            Ok(profile.without_details().to_pprof())
        })
    }
}

impl Backend for Heap {
    fn initialize(&mut self) -> Result<()> {
        let began = self.source.left_out(|| self.source.moment());
        self.before = Some(began.map_err(error)?);
        Ok(())
    }

    fn shutdown(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn report(&mut self) -> Result<ReportBatch> {
        // Never an error: the agent's thread would end with it, and whoever stops the agent wait for ever.
        let report = self.next().unwrap_or_else(|error| {
            // What a moment keeps of a session that is over.
            self.before = self.before.take().filter(|_| self.source.is_active());
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

fn error(source: SourceError) -> PyroscopeError {
    PyroscopeError::new_with_source(&format!("the heap cannot be profiled: {source}"), source)
}
