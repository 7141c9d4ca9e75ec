//! What stands in the files of a report.

use std::fmt::Write;

use allometer_core::Snapshot;
use allometer_profile::{Profile, SampleType, Symbolizer};
use allometer_views::{FlamegraphOptions, ReportFile, ReportFormat, ReportName, diff, flamegraph, top};

use crate::{Error, measurements::Measurements, memory_use::MemoryUse};

/// Functions in the table of a report.
const ROWS: usize = 40;

/// Writes reports of one session, and keeps what the next one needs: names that were found, within
/// [`Symbolizer`]'s bound, and the report before.
#[derive(Debug)]
pub(crate) struct Author {
    symbolizer: Symbolizer,
    /// The last fresh start; `None`: the session's start.
    baseline: Option<(ReportName, Snapshot)>,
    /// The report before, where it will be compared.
    before: Option<(ReportName, Profile)>,
}

/// A report in memory.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) files: Vec<(ReportFile, Vec<u8>)>,
    name: ReportName,
    profile: Profile,
}

impl Author {
    pub(crate) fn new(symbolizer: Symbolizer) -> Self {
        Self { symbolizer, baseline: None, before: None }
    }

    /// The report of a moment.
    ///
    /// # Errors
    ///
    /// [`Error::Session`], [`Error::View`].
    pub(crate) fn draft(
        &mut self,
        snapshot: &Snapshot,
        name: ReportName,
        formats: impl IntoIterator<Item = ReportFormat>,
        now: &Measurements,
    ) -> Result<Draft, Error> {
        let span = match &self.baseline {
            Some((_, baseline)) => snapshot.since(baseline)?,
            None => snapshot.since_start(),
        };
        let profile = span.profile_with(&mut self.symbolizer);
        let mut files = Vec::new();
        for format in formats {
            let contents = match format {
                ReportFormat::Pprof => Some(profile.to_pprof_gzip()),
                ReportFormat::Flamegraph => picture(&profile, &name)?.map(String::into_bytes),
                ReportFormat::Text => Some(self.text(&profile, &name, now).into_bytes()),
                // A format that this crate does not know yet.
                _ => None,
            };
            files.extend(contents.map(|contents| (name.clone().file(format), contents)));
        }
        Ok(Draft { files, name, profile })
    }

    /// The report was written: the next one is compared with it, if it will be.
    pub(crate) fn written(&mut self, draft: Draft, is_compared: bool) {
        self.before = is_compared.then_some((draft.name, draft.profile));
    }

    /// From now on, what was allocated is told since then.
    pub(crate) fn fresh_start(&mut self, name: ReportName, snapshot: Snapshot) {
        self.baseline = Some((name, snapshot));
    }

    fn text(&self, profile: &Profile, name: &ReportName, now: &Measurements) -> String {
        let mut text = format!("{name}\n\n");
        let memory = [("resident", now.resident), ("control group", now.cgroup)];
        for (what, memory) in memory.into_iter().filter_map(|(what, memory)| Some((what, memory?))) {
            let MemoryUse { used, limit } = memory;
            let _ = writeln!(text, "{what}: {} of {}", mib(used), mib(limit));
        }
        let since = match &self.baseline {
            Some((name, _)) => format!("the fresh start: {name}"),
            None => "the session's start".to_owned(),
        };
        let _ = write!(text, "allocated: since {since}\n\n{}", top(profile, ROWS));
        if let Some((name, before)) = &self.before {
            let _ = write!(text, "\nsince the report before: {name}\n\n{}", diff(before, profile));
        }
        text
    }
}

/// A flamegraph of what is live, or of what was allocated where live objects were not recorded; none where there is nothing
/// to draw.
fn picture(profile: &Profile, name: &ReportName) -> Result<Option<String>, Error> {
    let (sample_type, what) = match profile.metadata.live {
        true => (SampleType::LiveBytes, "Live heap"),
        false => (SampleType::AllocBytes, "Allocated"),
    };
    let options = FlamegraphOptions { title: format!("{what}: {name}"), sample_type };
    match flamegraph(profile, &options) {
        Ok(picture) => Ok(Some(picture)),
        Err(allometer_views::Error::NoSamples { .. }) => Ok(None),
        Err(cause) => Err(Error::View { cause }),
    }
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64)
}
