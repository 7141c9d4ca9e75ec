//! A session, from start to stop, and the handles that read it.

use crate::{
    Config, Error, Snapshot, Stats,
    process::{self, PROCESS},
    seat::Hold,
    thread,
};

/// A running session. There is at most one in a process; it ends when this is stopped or dropped.
///
/// ```no_run
/// use allometer_core::{Config, Profiler};
///
/// let mut profiler = Profiler::start(Config::default())?;
/// let before = profiler.snapshot()?;
/// // … the program works …
/// let after = profiler.snapshot()?;
/// std::fs::write("heap.pb.gz", after.since(&before)?.profile().to_pprof_gzip())?;
/// profiler.stop();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Profiler {
    /// The owner's hold of the session, until it is stopped.
    hold: Option<Hold<'static>>,
    reader: Reader,
}

impl Profiler {
    /// Starts a session. From when this returns, every thread is sampled, those that run already too.
    ///
    /// # Errors
    ///
    /// A field of `config` that is out of its bounds; [`Error::AlreadyActive`];
    /// [`Error::NotInstalled`] if no `SamplingAllocator` is the global allocator;
    /// [`Error::Memory`] or [`Error::HooksStuck`].
    pub fn start(config: Config) -> Result<Self, Error> {
        let (number, hold) = process::start(&config)?;
        Ok(Self { hold: Some(hold), reader: Reader { number, baseline: None } })
    }

    /// Ends the session. Nobody is waited for; handles and a later call do nothing but say so. Snapshots
    /// stay readable.
    pub fn stop(&mut self) {
        if let Some(hold) = self.hold.take() {
            PROCESS.recorder.stop(self.reader.number, hold);
        }
    }

    /// A handle for everything that only reads.
    pub fn reader(&self) -> Reader {
        self.reader.clone()
    }

    /// Whether the session runs.
    pub fn is_active(&self) -> bool {
        self.reader.is_active()
    }

    /// All counters at this moment.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::Memory`].
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        self.reader.snapshot()
    }

    /// [`Reader::report`] with a baseline of this handle's own.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::Memory`].
    pub fn report(&mut self) -> Result<Vec<u8>, Error> {
        self.reader.report()
    }

    /// How the session is doing.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn stats(&self) -> Result<Stats, Error> {
        self.reader.stats()
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A handle that reads a session. It can be cloned and sent anywhere; it does not keep the session alive.
///
/// Each handle has a baseline of its own for [`Reader::report`], so that no reader takes another's data;
/// a clone starts with none.
#[derive(Debug)]
pub struct Reader {
    number: u64,
    /// The snapshot that the last report ended with.
    baseline: Option<Snapshot>,
}

impl Clone for Reader {
    fn clone(&self) -> Self {
        Self { number: self.number, baseline: None }
    }
}

impl Reader {
    /// Whether the session runs.
    pub fn is_active(&self) -> bool {
        PROCESS.recorder.epoch().number() == self.number
    }

    fn hold(&self) -> Result<Hold<'static>, Error> {
        PROCESS.recorder.hold(self.number).ok_or(Error::Inactive)
    }

    /// All counters at this moment.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::Memory`].
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Snapshot::take(self.hold()?.tables())
    }

    /// What was allocated since this handle's last report (or the session's start), and what is live
    /// now: an uncompressed pprof.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::Memory`]. The next report then covers this span too.
    pub fn report(&mut self) -> Result<Vec<u8>, Error> {
        let now = self.snapshot()?;
        let report = thread::with(|thread| {
            thread.inside(|| {
                let span = match &self.baseline {
                    Some(baseline) => now.since(baseline)?,
                    None => now.since_start(),
                };
                Ok(span.profile().to_pprof())
            })
        })?;
        self.baseline = Some(now);
        Ok(report)
    }

    /// How the session is doing.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn stats(&self) -> Result<Stats, Error> {
        Ok(Stats::of(self.hold()?.tables()))
    }
}
