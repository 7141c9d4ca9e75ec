//! The runner's thread: looks, writes, sleeps.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use allometer_core::{Reader, Snapshot};
use allometer_profile::Symbolizer;
use allometer_views::{ProgramName, ReportName, ReportReason};

use crate::{
    Error, Event,
    author::Author,
    cgroup,
    directory::Directory,
    listener::Listener,
    measurements::Measurements,
    orders::{Asked, Orders},
    resident,
    retention::Retention,
    settings::Settings,
    signals,
    stored_reports::StoredReports,
    watch::Watch,
    written_report,
};

/// The runner's thread, as a value.
#[derive(Debug)]
pub(crate) struct Attendant {
    reader: Reader,
    path: PathBuf,
    program: ProgramName,
    settings: Settings,
    orders: Arc<Orders>,
    listener: Listener,
    author: Author,
    watch: Watch,
    started: Instant,
    /// The time of the last report, since no two may have the same.
    last: SystemTime,
    /// Whether the session is over.
    is_over: bool,
}

impl Attendant {
    pub(crate) fn new(
        reader: Reader,
        path: PathBuf,
        program: ProgramName,
        settings: Settings,
        orders: Arc<Orders>,
        listener: Listener,
    ) -> Self {
        let live = reader.snapshot().map(|snapshot| live(&snapshot)).unwrap_or(0);
        Self {
            author: Author::new(Symbolizer::with(reader.symbolization())),
            watch: Watch::new(&settings, live),
            reader,
            path,
            program,
            settings,
            orders,
            listener,
            started: Instant::now(),
            last: SystemTime::UNIX_EPOCH,
            is_over: false,
        }
    }

    /// The whole life of the thread.
    pub(crate) fn run(mut self) {
        // Also when this panics.
        let _end = End { orders: self.orders.clone(), signal: self.settings.exit_signal };
        self.orders.begin();
        self.clean();
        self.attend();
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
            // What failed is tried again with the checks, and not in between.
            if is_due || asked != Asked::default() {
                open.fresh = open.fresh && !self.report(ReportReason::Fresh);
                open.report = open.report && !self.report(ReportReason::Request);
            }
            if asked.end {
                if self.settings.exit_report {
                    self.report(ReportReason::Exit);
                }
                return;
            }
            if is_due && !open.fresh && !open.report {
                self.check();
            }
        }
    }

    /// Writes a report if there is a reason to.
    fn check(&mut self) {
        match self.reader.snapshot() {
            Ok(snapshot) => {
                let now = self.measure(&snapshot);
                if let Some(reason) = self.watch.check(&now) {
                    self.report_of(reason, snapshot, &now);
                }
            }
            Err(error) => self.fail(error.into()),
        }
    }

    /// Writes a report. True: it is there.
    fn report(&mut self, reason: ReportReason) -> bool {
        if self.is_over {
            // That was said.
            return false;
        }
        match self.reader.snapshot() {
            Ok(snapshot) => {
                let now = self.measure(&snapshot);
                self.report_of(reason, snapshot, &now)
            }
            Err(error) => {
                self.fail(error.into());
                false
            }
        }
    }

    fn report_of(&mut self, reason: ReportReason, snapshot: Snapshot, now: &Measurements) -> bool {
        // Names come from whatever files the program's code is in, and a thread that had ended over one of them would
        // not be missed until its reports are.
        let tried = catch_unwind(AssertUnwindSafe(|| self.try_report(reason, snapshot, now)));
        let tried = tried.unwrap_or_else(|panic| {
            Err(Error::Panicked { place: "the writing of a report", message: message(&*panic) })
        });
        let is_written = tried.is_ok();
        if let Err(error) = tried {
            self.fail(error);
        }
        is_written
    }

    fn try_report(
        &mut self,
        reason: ReportReason,
        snapshot: Snapshot,
        now: &Measurements,
    ) -> Result<(), Error> {
        // First, since it is cheap and what follows is not.
        let directory = Directory::open(&self.path)?;
        self.last = time_after(self.last, SystemTime::now());
        let name = ReportName {
            program: self.program.clone(),
            time: self.last,
            live_bytes: now.live,
            reason,
            process: process::id(),
        };
        let formats = self.settings.formats.iter().copied();
        let draft = self.author.draft(&snapshot, name.clone(), formats, now)?;
        let paths = written_report::write(&directory, &draft.files)?;
        self.watch.reported(now);
        let is_compared = self.settings.formats.contains(&allometer_views::ReportFormat::Text);
        self.author.written(draft, is_compared);
        if reason == ReportReason::Fresh {
            self.author.fresh_start(name.clone(), snapshot);
        }
        self.listener.tell(&Event::Written { name: name.clone(), paths });
        if let Err(error) = self.remove_expired(&directory, &name) {
            self.fail(error);
        }
        Ok(())
    }

    fn measure(&self, snapshot: &Snapshot) -> Measurements {
        let Settings { resident, resident_limit, cgroup, .. } = self.settings;
        let wants_text = self.settings.formats.contains(&allometer_views::ReportFormat::Text);
        Measurements {
            elapsed: self.started.elapsed(),
            live: live(snapshot),
            resident: (wants_text || resident.is_some()).then(|| resident::read(resident_limit)).flatten(),
            cgroup: (wants_text || cgroup.is_some()).then(cgroup::read).flatten(),
        }
    }

    fn remove_expired(&mut self, directory: &Directory, last: &ReportName) -> Result<(), Error> {
        let stored = StoredReports::find(directory, &self.program)?;
        let expired = Retention::of(&self.settings).expired(stored.list(), last, SystemTime::now());
        let paths = stored.remove(directory, &expired)?;
        self.removed(paths);
        Ok(())
    }

    /// Removes what earlier processes left.
    fn clean(&mut self) {
        let program = self.program.clone();
        let removed = Directory::open(&self.path).and_then(|directory| {
            written_report::remove_left_overs(&directory, |file| file.name.program == program)
        });
        match removed {
            Ok(paths) => self.removed(paths),
            Err(error) => self.fail(error),
        }
    }

    fn removed(&mut self, paths: Vec<PathBuf>) {
        if !paths.is_empty() {
            self.listener.tell(&Event::Removed { paths });
        }
    }

    fn fail(&mut self, error: Error) {
        self.is_over |= matches!(error, Error::Session { cause: allometer_core::Error::Inactive });
        self.listener.tell(&Event::Failed { error });
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

/// `now`, or so much later that it has another name than `last`.
fn time_after(last: SystemTime, now: SystemTime) -> SystemTime {
    // What names tell apart.
    now.max(last + Duration::from_millis(1))
}

fn live(snapshot: &Snapshot) -> u64 {
    // Estimates are never negative, and the conversion saturates.
    snapshot.totals().live.bytes.value as u64
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_reports_have_one_time() {
        let at = |micros| SystemTime::UNIX_EPOCH + Duration::from_micros(micros);
        let after = |last, now| time_after(at(last), at(now));
        assert_eq!(after(5_000, 9_000), at(9_000));
        assert_eq!(after(5_900, 6_100), at(6_900), "the next millisecond, and not sooner");
        assert_eq!(after(5_000, 5_000), at(6_000));
        assert_eq!(after(5_000, 1_000), at(6_000), "a clock was set back");
    }
}
