use allometer_views::{Timeline as Shown, TimelineRow};
use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::json;
use crate::output::Output;
use crate::reports::Reports;

/// Shows how a program's memory went: the reports of its runner, one a line
#[derive(Args, Debug)]
pub(crate) struct Timeline {
    #[command(flatten)]
    reports: Reports,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Timeline {
    pub(crate) fn run(self) -> Result<(), Error> {
        let timeline = self.reports.timeline()?;
        if self.json {
            return json::print(&Answer::of(&timeline));
        }
        Output::Standard.write(timeline.to_string().as_bytes())
    }
}

/// The table for another program.
#[derive(Serialize)]
struct Answer {
    reports: Vec<Report>,
}

#[derive(Serialize)]
struct Report {
    /// What its files are called, without the extension.
    name: String,
    program: String,
    process: u32,
    time: String,
    live_bytes: u64,
    change_bytes: Option<i64>,
    reason: String,
    /// Extensions of its files.
    formats: Vec<String>,
}

impl Answer {
    fn of(timeline: &Shown) -> Self {
        let report = |TimelineRow { name, change, formats }: &TimelineRow| Report {
            name: name.to_string(),
            program: name.program.to_string(),
            process: name.process,
            time: name.moment(),
            live_bytes: name.live_bytes,
            change_bytes: *change,
            reason: name.reason.to_string(),
            formats: formats.iter().map(ToString::to_string).collect(),
        };
        Self { reports: timeline.rows.iter().map(report).collect() }
    }
}
