use allometer_profile::Profile;
use allometer_views::TimelineRow;
use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::figure::{Figure, sample_type};
use crate::format::Format;
use crate::output::Output;
use crate::reports::Reports;
use crate::reshape::Reshape;

/// Looks at a part of a runner's directory: what was allocated in it and is still held, or what was held at its peak
///
/// The part goes from the first report at or after --from to the last one at or before --to, of one process. The answer
/// is a profile, in the format that the name of the output tells: a flamegraph, a page, a pprof; on standard output a
/// table.
#[derive(Args, Debug)]
pub(crate) struct Range {
    #[command(flatten)]
    reports: Reports,
    /// What is looked at
    #[arg(long, value_enum, default_value_t = Of::Held)]
    of: Of,
    /// Where the answer goes to
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: Output,
    /// Its format, where the name of the output does not tell
    #[arg(long, value_enum, value_name = "FORMAT")]
    to_format: Option<Format>,
    /// The figure, for formats that hold one alone; without it what is live
    #[arg(long = "type", value_enum, value_name = "FIGURE")]
    figure: Option<Figure>,
    /// So many functions of a table
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 20)]
    number: usize,
    #[command(flatten)]
    reshape: Reshape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Of {
    /// What was allocated in it, and, as live, what of that is still held at its end
    Held,
    /// What was held when most was: the report with the largest live heap
    Peak,
}

impl Range {
    pub(crate) fn run(self) -> Result<(), Error> {
        let rows = self.reports.of_one_process()?;
        let profile = self.reshape.apply(match self.of {
            Of::Held => self.held(&rows)?,
            Of::Peak => self.at_peak(&rows)?,
        })?;
        if self.output == Output::Standard && self.to_format.is_none() {
            return self.output.write(allometer_views::top(&profile, self.number).to_string().as_bytes());
        }
        let format = Format::choose(self.to_format, &self.output)?;
        let bytes = format.write(&profile, sample_type(self.figure, &profile));
        self.output.write(&bytes.map_err(|source| Error::View { input: self.name(&rows), source })?)
    }

    /// From the first report to the last.
    fn held(&self, rows: &[TimelineRow]) -> Result<Profile, Error> {
        let [first, .., last] = rows else { return Err(Error::OneReport { name: self.name(rows) }) };
        let (before, after) = (self.reports.read(&first.name)?, self.reports.read(&last.name)?);
        after.since(&before).map_err(|source| Error::Profile { input: self.name(rows), source })
    }

    fn at_peak(&self, rows: &[TimelineRow]) -> Result<Profile, Error> {
        let largest = rows.iter().max_by_key(|row| row.name.live_bytes);
        let largest = largest.ok_or(Error::OneReport { name: self.name(rows) })?;
        self.reports.read(&largest.name)
    }

    /// What the part is called: its first and its last report.
    fn name(&self, rows: &[TimelineRow]) -> String {
        match rows {
            [first, .., last] => format!("{} to {}", first.name, last.name),
            [only] => only.name.to_string(),
            [] => String::new(),
        }
    }
}
