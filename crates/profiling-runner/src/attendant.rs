//! The runner's thread: looks, writes, sleeps.

use std::{sync::Arc, time::Instant};

use allometer_core::{MemoryUse, Profiler};
use allometer_profile::{Moment, Source, SourceError};
use allometer_views::{ReportFormat, ReportReason};

use crate::{
    Error,
    archive::Archive,
    author::Author,
    back_off::BackOff,
    caught::caught,
    giant_report,
    heir::Heir,
    measurements::Measurements,
    orders::{Asked, Orders},
    settings::Settings,
    signals,
    watch::Watch,
};

/// The runner's thread, as a value.
#[derive(Debug)]
pub(crate) struct Attendant {
    source: Arc<dyn Source>,
    archive: Archive,
    heir: Heir,
    settings: Settings,
    formats: Vec<ReportFormat>,
    orders: Arc<Orders>,
    author: Author,
    watch: Watch,
    back_off: BackOff,
    started: Instant,
    /// Whether the session is over.
    is_over: bool,
}

impl Attendant {
    pub(crate) fn new(
        source: Arc<dyn Source>,
        archive: Archive,
        settings: Settings,
        orders: Arc<Orders>,
    ) -> Self {
        let formats: Vec<_> = settings.formats.iter().copied().collect();
        let live = source.moment().map(|moment| live(&*moment)).unwrap_or(0);
        Self {
            author: Author::new(source.symbolization(), formats.clone()),
            watch: Watch::new(&settings, live),
            back_off: BackOff::new(settings.check_interval),
            source,
            archive,
            heir: Heir::default(),
            settings,
            formats,
            orders,
            started: Instant::now(),
            is_over: false,
        }
    }

    /// The whole life of the thread, which ends with that of `session`.
    pub(crate) fn run(mut self, session: Option<Profiler>) {
        // Also when this panics, and after all else.
        let _end = End { orders: self.orders.clone(), signal: self.settings.exit_signal };
        self.orders.begin();
        self.archive.clean();
        self.inherit();
        self.attend();
        drop(session);
    }

    /// Until it is to end, or the session is over.
    fn attend(&mut self) {
        let mut next_check = Instant::now() + self.settings.check_interval;
        // What was asked for and is not done.
        let mut open = Asked::default();
        while !self.is_over {
            let asked = self.orders.wait(next_check.saturating_duration_since(Instant::now()));
            open = Asked {
                report: open.report || asked.report,
                fresh: open.fresh || asked.fresh,
                end: asked.end,
            };
            let is_due = Instant::now() >= next_check;
            if is_due {
                next_check = Instant::now() + self.settings.check_interval;
            }
            let may_try = is_due && self.back_off.is_over(self.started.elapsed());
            // What failed is tried again with the checks, and not in between.
            if may_try || asked != Asked::default() {
                open.fresh = open.fresh && !self.report(ReportReason::Fresh);
                open.report = open.report && !self.report(ReportReason::Request);
            }
            if asked.end {
                if self.settings.exit_report {
                    self.end();
                }
                return;
            }
            if may_try && !open.fresh && !open.report {
                self.inherit();
            }
            if is_due && !open.fresh && !open.report {
                self.check();
            }
        }
    }

    /// Writes reports if there are reasons to.
    fn check(&mut self) {
        let Some((moment, now)) = self.look() else { return };
        if self.watch.has_giants(&now) && self.back_off.is_over(now.elapsed) {
            self.report_giants(&now);
        }
        // Also where nothing is written: it has to see that use of memory has fallen.
        if let Some(reason) = self.watch.check(&now)
            && self.back_off.is_over(now.elapsed)
        {
            self.report_of(reason, moment, &now);
        }
    }

    /// The last reports.
    fn end(&mut self) {
        if let Some((moment, now)) = self.look() {
            if self.watch.has_giants(&now) {
                self.report_giants(&now);
            }
            self.report_of(ReportReason::Exit, moment, &now);
        }
    }

    /// Writes a report. True: it is there.
    fn report(&mut self, reason: ReportReason) -> bool {
        self.look().is_some_and(|(moment, now)| self.report_of(reason, moment, &now))
    }

    /// What the program is like. `None` where that cannot be said, which is told.
    fn look(&mut self) -> Option<(Box<dyn Moment>, Measurements)> {
        if self.is_over {
            // That was said.
            return None;
        }
        let seen = self.source.moment().and_then(|moment| Ok((moment, self.source.stats()?.giants)));
        match seen {
            Ok((moment, giants)) => {
                let now = self.measure(live(&*moment), giants);
                Some((moment, now))
            }
            Err(error) => {
                self.fail(error.into());
                None
            }
        }
    }

    fn measure(&self, live: u64, giants: u64) -> Measurements {
        let Settings { resident, resident_limit, cgroup, .. } = self.settings;
        let wants_text = self.settings.formats.contains(&ReportFormat::Text);
        Measurements {
            elapsed: self.started.elapsed(),
            live,
            giants,
            resident: (wants_text || resident.is_some())
                .then(MemoryUse::resident)
                .flatten()
                .map(|memory| MemoryUse { limit: resident_limit.unwrap_or(memory.limit), ..memory }),
            cgroup: (wants_text || cgroup.is_some()).then(MemoryUse::control_group).flatten(),
        }
    }

    fn report_of(&mut self, reason: ReportReason, moment: Box<dyn Moment>, now: &Measurements) -> bool {
        let tried = caught(|| self.try_report(reason, moment, now));
        self.settle(tried)
    }

    fn try_report(
        &mut self,
        reason: ReportReason,
        moment: Box<dyn Moment>,
        now: &Measurements,
    ) -> Result<(), Error> {
        // First, since it is cheap and what follows is not.
        let directory = self.archive.open()?;
        let name = self.archive.name(now.live, reason);
        let figures = self.source.provider_figures()?;
        let draft = self.author.draft(&*moment, name.clone(), now, figures)?;
        self.archive.store(&directory, &name, &draft.files)?;
        self.watch.reported(now, reason);
        self.author.written(draft);
        if reason == ReportReason::Fresh {
            self.author.fresh_start(name, moment);
        }
        Ok(())
    }

    /// Writes a report of the giant requests so far.
    fn report_giants(&mut self, now: &Measurements) {
        let tried = caught(|| {
            let directory = self.archive.open()?;
            let name = self.archive.name(now.live, ReportReason::Giant);
            let formats = self.formats.iter().copied();
            let files = giant_report::files(&self.source.giants()?, &name, formats)?;
            self.archive.store(&directory, &name, &files)?;
            self.watch.reported_giants(now);
            Ok(self.source.told_giants(now.giants)?)
        });
        self.settle(tried);
    }

    /// Reports the giant requests of processes that have ended.
    fn inherit(&mut self) {
        let symbolization = self.author.symbolization();
        if !self.heir.inherit(&mut self.archive, &self.formats, symbolization) {
            self.back_off.failed(self.started.elapsed());
        }
    }

    /// What became of a report. True: it is there. If not, the next one that nobody asks for waits.
    fn settle(&mut self, tried: Result<(), Error>) -> bool {
        match tried {
            Ok(()) => self.back_off.succeeded(),
            Err(error) => {
                self.back_off.failed(self.started.elapsed());
                self.fail(error);
                return false;
            }
        }
        true
    }

    fn fail(&mut self, error: Error) {
        self.is_over |= matches!(error, Error::Session { cause: SourceError::Inactive });
        self.archive.failed(error);
    }
}

/// Says that the thread has ended, however it did.
struct End {
    orders: Arc<Orders>,
    signal: Option<i32>,
}

impl Drop for End {
    fn drop(&mut self) {
        let is_signalled = self.orders.is_ended_by_signal();
        if let Some(signal) = self.signal.filter(|_| is_signalled) {
            signals::end_by(signal);
        }
        self.orders.has_ended();
    }
}

fn live(moment: &dyn Moment) -> u64 {
    // Estimates are never negative, and the conversion saturates.
    moment.totals().live.bytes.value as u64
}
