//! A session, from start to stop, and the handles that read it.

use std::{fs::File, path::PathBuf};

use allometer_profile::{Profile, ProviderFigure, SymbolFile, Symbolization, Symbolizer};

use crate::{
    Config, Error, Snapshot, Stats, giants,
    process::{self, PROCESS},
    seat::Hold,
    snapshot::Baseline,
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
    /// The log of giant requests, and its file, which is locked as long as this is there.
    giant_file: Option<(PathBuf, Option<File>)>,
}

impl Profiler {
    /// Starts a session. From when this returns, every thread is sampled, those that run already too.
    ///
    /// # Errors
    ///
    /// A field of `config` that is out of its bounds; [`Error::AlreadyActive`];
    /// [`Error::NotInstalled`] if no `SamplingAllocator` is the global allocator;
    /// [`Error::GiantFile`], [`Error::Memory`] or [`Error::HooksStuck`].
    pub fn start(config: Config) -> Result<Self, Error> {
        let (number, hold) = process::start(&config).inspect_err(|error| {
            if let (Error::NotInstalled, Some(path)) = (error, &config.giant_file) {
                giants::remove(path);
            }
        })?;
        Ok(Self::of(number, hold, config))
    }

    pub(crate) fn of(number: u64, hold: Hold<'static>, config: Config) -> Self {
        let reader = Reader::new(number, config.symbolization);
        let giant_file = config.giant_file.map(|path| (path, hold.tables().giants.take_file()));
        Self { hold: Some(hold), reader, giant_file }
    }

    /// Ends the session. Nobody is waited for; handles and a later call do nothing but say so. Snapshots
    /// stay readable.
    pub fn stop(&mut self) {
        if let Some(hold) = self.hold.take() {
            let giants = &hold.tables().giants;
            let is_of_no_use = giants.is_own() && giants.is_all_told();
            PROCESS.recorder.stop(self.reader.number, hold);
            if let Some((path, _locked)) = self.giant_file.take()
                && is_of_no_use
            {
                giants::remove(&path);
            }
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

    /// [`Reader::forget_names`] of this handle.
    pub fn forget_names(&mut self) {
        self.reader.forget_names();
    }

    /// How the session is doing.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn stats(&self) -> Result<Stats, Error> {
        self.reader.stats()
    }

    /// [`Reader::giants`].
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::GiantLog`].
    pub fn giants(&self) -> Result<Profile, Error> {
        self.reader.giants()
    }

    /// [`Reader::provider_figures`].
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn provider_figures(&self) -> Result<Vec<ProviderFigure>, Error> {
        self.reader.provider_figures()
    }

    /// [`Reader::purge`].
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn purge(&self) -> Result<bool, Error> {
        self.reader.purge()
    }
}

impl Drop for Profiler {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A handle that reads a session. It can be cloned and sent anywhere; it does not keep the session alive.
///
/// Each handle has a baseline of its own for [`Reader::report`], so that no reader takes another's data, and the
/// names that it has looked up; a clone starts with none.
#[derive(Debug)]
pub struct Reader {
    number: u64,
    /// What the last report ended with.
    baseline: Option<Baseline>,
    symbolizer: Symbolizer,
}

impl Clone for Reader {
    fn clone(&self) -> Self {
        Self::new(self.number, self.symbolizer.symbolization())
    }
}

impl Reader {
    fn new(number: u64, symbolization: Symbolization) -> Self {
        Self { number, baseline: None, symbolizer: Symbolizer::with(symbolization) }
    }

    /// How much of addresses is looked up for the session's profiles: that of its configuration.
    pub fn symbolization(&self) -> Symbolization {
        self.symbolizer.symbolization()
    }

    /// Whether the session runs.
    pub fn is_active(&self) -> bool {
        PROCESS.recorder.active().number() == self.number
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
    /// Names are looked up once and kept for the next report, within a bound: see [`Symbolizer`].
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::Memory`]. The next report then covers this span too.
    pub fn report(&mut self) -> Result<Vec<u8>, Error> {
        let now = self.snapshot()?;
        thread::with(|thread| {
            thread.inside(|| {
                let span = match &self.baseline {
                    Some(baseline) => now.since_baseline(baseline)?,
                    None => now.since_start(),
                };
                let report = span.profile_with(&mut self.symbolizer).without_details().to_pprof();
                self.baseline = Some(now.into_baseline());
                Ok(report)
            })
        })
    }

    /// Lets the next report begin now, and not at this handle's last one or at the session's start.
    ///
    /// It is for whoever comes late to a session, and reports from then on: what was allocated before is in no report of this
    /// handle, what is live of it is in all of them.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop, [`Error::Memory`]. The next report then begins where it would have.
    pub fn begin_report(&mut self) -> Result<(), Error> {
        self.baseline = Some(self.snapshot()?.into_baseline());
        Ok(())
    }

    /// Gives back what this handle keeps of names. The next report looks them up again.
    pub fn forget_names(&mut self) {
        self.symbolizer = Symbolizer::with(self.symbolizer.symbolization());
    }

    /// How the session is doing.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn stats(&self) -> Result<Stats, Error> {
        Ok(Stats::of(self.hold()?.tables()))
    }

    /// The last giant requests, 16 at most, with their stacks, as a profile of what they asked for; empty without a
    /// [`Config::giant_limit`]. See [`Profile::from_giant_log`].
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop; [`Error::GiantLog`] if somebody else has changed the log's file.
    pub fn giants(&self) -> Result<Profile, Error> {
        let hold = self.hold()?;
        thread::with(|thread| {
            thread.inside(|| {
                let log = hold.tables().giants.to_bytes();
                if log.is_empty() {
                    return Ok(Profile::default());
                }
                let mut profile = Profile::from_giant_log(&log)
                    .map_err(|error| Error::GiantLog { reason: error.to_string() })?;
                // The code of this process, as far as it is that of the files in their places.
                Symbolizer::with(self.symbolizer.symbolization())
                    .symbolize(&mut profile, |mapping| Some(SymbolFile::new(&mapping.path)));
                Ok(profile)
            })
        })
    }

    /// Says that somebody was told of the first so many giant requests ([`Stats::giants`]), as by a report that was written.
    /// A log of which that is true of all requests is of no use to whoever finds it later: the session's stop removes it.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn told_giants(&self, requests: u64) -> Result<(), Error> {
        self.hold()?.tables().giants.told(requests);
        Ok(())
    }

    /// What the allocator says about itself now, to be put beside a profile as
    /// [`Metadata::provider_figures`](allometer_profile::Metadata::provider_figures). Empty where it has no figures, or they
    /// depend on an instance.
    ///
    /// The allocator may take its locks for this, and go through what is free: a profile does not ask by itself.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn provider_figures(&self) -> Result<Vec<ProviderFigure>, Error> {
        let stats = self.hold()?.tables().probe.provider().and_then(|provider| provider.stats);
        let stats = stats.map(|stats| stats()).unwrap_or_default();
        let figure = |(name, bytes): (&str, u64)| ProviderFigure { name: name.to_owned(), bytes };
        Ok(stats.figures().map(figure).collect())
    }

    /// Asks the allocator to give free memory back to the operating system. False: it has no such request, or it depends on an
    /// instance.
    ///
    /// It may take long, and other threads' requests may wait meanwhile: tens of milliseconds for glibc.
    ///
    /// # Errors
    ///
    /// [`Error::Inactive`] after the stop.
    pub fn purge(&self) -> Result<bool, Error> {
        let purge = self.hold()?.tables().probe.provider().and_then(|provider| provider.purge);
        Ok(purge.is_some_and(|purge| purge()))
    }
}
