//! Where reports of a program are kept, and which of them stay.

use std::{
    path::PathBuf,
    process,
    time::{Duration, SystemTime},
};

use allometer_views::{ProgramName, ReportFile, ReportName, ReportReason};

use crate::{
    Error, Event, directory::Directory, listener::Listener, retention::Retention, settings::Settings,
    stored_reports::StoredReports, written_report,
};

/// The reports of one program in one place, and who is told what becomes of them.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    program: ProgramName,
    retention: Retention,
    /// The time of the last report of this process, since no two may have the same.
    last: SystemTime,
    listener: Listener,
}

impl Archive {
    pub(crate) fn new(path: PathBuf, program: ProgramName, settings: &Settings, listener: Listener) -> Self {
        let retention = Retention::of(settings);
        Self { path, program, retention, last: SystemTime::UNIX_EPOCH, listener }
    }

    /// The directory, as it is now.
    ///
    /// # Errors
    ///
    /// As for [`Directory::open`].
    pub(crate) fn open(&self) -> Result<Directory, Error> {
        Directory::open(&self.path)
    }

    pub(crate) fn program(&self) -> &ProgramName {
        &self.program
    }

    /// What a report of this moment is called.
    pub(crate) fn name(&mut self, live_bytes: u64, reason: ReportReason) -> ReportName {
        self.last = time_after(self.last, SystemTime::now());
        let (program, process) = (self.program.clone(), process::id());
        ReportName { program, time: self.last, live_bytes, reason, process }
    }

    /// What a report of another process of the program is called, whose giant requests are told now. It is of their time,
    /// unless it would be too old to stay.
    pub(crate) fn name_of_dead(&self, process: u32, time: Option<SystemTime>) -> ReportName {
        let now = SystemTime::now();
        let time = time.filter(|time| self.retention.is_young(*time, now)).unwrap_or(now);
        let reason = ReportReason::Giant;
        ReportName { program: self.program.clone(), time, live_bytes: 0, reason, process }
    }

    /// Writes the files of a report, says so, and removes others until those that stay are within the bounds.
    ///
    /// # Errors
    ///
    /// [`Error::File`]. Then there is none of the files. That others cannot be removed is only said.
    pub(crate) fn store(
        &mut self,
        directory: &Directory,
        name: &ReportName,
        files: &[(ReportFile, Vec<u8>)],
    ) -> Result<(), Error> {
        let paths = written_report::write(directory, files)?;
        self.listener.tell(&Event::Written { name: name.clone(), paths });
        let removed = StoredReports::find(directory, &self.program).and_then(|stored| {
            let expired = self.retention.expired(stored.list(), name, SystemTime::now());
            stored.remove(directory, &expired)
        });
        self.removed(removed);
        Ok(())
    }

    /// Removes what earlier processes left of reports that they did not complete, and says so.
    pub(crate) fn clean(&mut self) {
        let is_ours = |file: &ReportFile| file.name.program == self.program;
        let removed =
            self.open().and_then(|directory| written_report::remove_left_overs(&directory, is_ours));
        self.removed(removed);
    }

    /// Says what was removed, or why it could not be.
    pub(crate) fn removed(&mut self, removed: Result<Vec<PathBuf>, Error>) {
        match removed {
            Ok(paths) if paths.is_empty() => {}
            Ok(paths) => self.listener.tell(&Event::Removed { paths }),
            Err(error) => self.failed(error),
        }
    }

    /// Says what failed.
    pub(crate) fn failed(&mut self, error: Error) {
        self.listener.tell(&Event::Failed { error });
    }
}

/// `now`, or so much later that it has another name than `last`.
fn time_after(last: SystemTime, now: SystemTime) -> SystemTime {
    // What names tell apart.
    now.max(last + Duration::from_millis(1))
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

    #[test]
    fn a_dead_process_is_told_of_at_its_time_and_not_removed_at_once() {
        let settings = Settings::default().max_age(Duration::from_secs(3600));
        let archive = Archive::new(PathBuf::new(), ProgramName::nearest("shop"), &settings, Listener::none());
        let now = SystemTime::now();
        let name = |seconds| archive.name_of_dead(7, now.checked_sub(Duration::from_secs(seconds)));
        assert_eq!((name(60).time, name(60).process), (now - Duration::from_secs(60), 7));
        assert!(name(7200).time >= now);
        assert!(archive.name_of_dead(7, None).time >= now);
        let coming = now + Duration::from_secs(3600);
        assert!(archive.name_of_dead(7, Some(coming)).time < coming, "a clock was set back");
    }
}
