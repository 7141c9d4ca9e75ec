//! The reports of a program, in the directory that its runner writes into.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use allometer_profile::Profile;
use allometer_views::{
    ProgramName, ReportFile, ReportFormat, ReportName, ReportReason, Timeline, TimelineRow, timeline,
};
use clap::Args;
use jiff::Timestamp;

use crate::error::Error;
use crate::input::{Fetch, Input};

/// Which reports of a directory.
#[derive(Args, Debug)]
pub(crate) struct Reports {
    /// The directory that reports are written into
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Only those of this program
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Only those of the process of this number
    #[arg(long, value_name = "PID")]
    process: Option<u32>,
    /// From this moment on: a time as in the names of reports, such as 2026-12-01T01:06:13.123Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    from: Option<SystemTime>,
    /// Until this moment
    #[arg(long, value_name = "TIME", value_parser = time)]
    to: Option<SystemTime>,
}

fn time(text: &str) -> Result<SystemTime, String> {
    let time = text.parse::<Timestamp>().map_err(|error| error.to_string())?;
    let millis = u64::try_from(time.as_millisecond()).map_err(|_| "it is before 1970".to_owned())?;
    Ok(UNIX_EPOCH + Duration::from_millis(millis))
}

impl Reports {
    /// Those that there are, the oldest first. What has another name is none.
    pub(crate) fn timeline(&self) -> Result<Timeline, Error> {
        let unreadable =
            |source: io::Error| Error::Read { input: self.directory.display().to_string(), source };
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.directory).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            files.extend(name.to_str().and_then(|name| name.parse::<ReportFile>().ok()));
        }
        Ok(timeline(files.into_iter().filter(|file| self.is_wanted(&file.name))))
    }

    fn is_wanted(&self, name: &ReportName) -> bool {
        let is_of = |program: &String| *name.program.as_str() == **program;
        self.program.as_ref().is_none_or(is_of)
            && self.process.is_none_or(|process| name.process == process)
            && self.from.is_none_or(|from| name.time >= from)
            && self.to.is_none_or(|to| name.time <= to)
    }

    /// The reports that have a profile of the heap, which must be of one process.
    pub(crate) fn of_one_process(&self) -> Result<Vec<TimelineRow>, Error> {
        let mut rows = self.timeline()?.rows;
        rows.retain(|row| {
            row.formats.contains(&ReportFormat::Pprof) && row.name.reason != ReportReason::Giant
        });
        let mut processes: Vec<(ProgramName, u32)> =
            rows.iter().map(|row| (row.name.program.clone(), row.name.process)).collect();
        processes.sort_unstable();
        processes.dedup();
        let listed =
            |(program, process): &(ProgramName, u32)| format!("--program {program} --process {process}");
        match processes.len() {
            1 => Ok(rows),
            0 => Err(Error::NoReports { directory: self.directory.clone() }),
            _ => {
                let processes = processes.iter().map(listed).collect::<Vec<_>>().join(" or ");
                Err(Error::SeveralProcesses { directory: self.directory.clone(), processes })
            }
        }
    }

    /// The profile of a report.
    pub(crate) fn read(&self, name: &ReportName) -> Result<Profile, Error> {
        let file = name.clone().file(ReportFormat::Pprof).to_string();
        Input::File(self.directory.join(file)).read(Fetch::default())
    }
}
