//! The text of a report.

use std::fmt::Write;

use allometer_core::MemoryUse;
use allometer_profile::{Amount, Metadata, Profile};
use allometer_views::{DiffBy, ReportName, diff_by, gap, printable, quantity, top};

use crate::measurements::Measurements;

/// Functions in the table of a report.
pub(crate) const ROWS: usize = 40;

/// What the text of a report is made from.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    pub(crate) name: &'a ReportName,
    pub(crate) profile: &'a Profile,
    pub(crate) now: &'a Measurements,
    /// The last fresh start.
    pub(crate) since: Option<&'a ReportName>,
    /// The report before.
    pub(crate) before: Option<&'a (ReportName, Profile)>,
}

impl Text<'_> {
    /// Head, table, and what changed.
    pub(crate) fn write(&self) -> String {
        let Self { name, profile, .. } = self;
        let mut text = format!("{name}\n\n");
        self.memory(&mut text);
        let since = match self.since {
            Some(name) => format!("the fresh start: {name}"),
            None => "the session's start".to_owned(),
        };
        let _ = write!(text, "allocated: since {since}\n\n{}", top(profile, ROWS));
        if let Some((name, before)) = self.before {
            // Functions first: what grew a little on each of many stacks is seen there alone.
            let [function, stack] = [DiffBy::Function, DiffBy::Stack].map(|by| diff_by(before, profile, by));
            let _ = write!(
                text,
                "\nsince the report before: {name}\n\nby function: {function}\nby stack: {stack}"
            );
        }
        text
    }

    /// What is known of memory beside the table.
    fn memory(&self, text: &mut String) {
        let Measurements { resident, cgroup, .. } = *self.now;
        let memory = [("resident", resident), ("control group", cgroup)];
        for (what, memory) in memory.into_iter().filter_map(|(what, memory)| Some((what, memory?))) {
            let MemoryUse { used, limit } = memory;
            let _ = writeln!(text, "{what}: {} of {}", bytes(used), bytes(limit));
        }
        let Metadata { provider, provider_figures, peak, .. } = &self.profile.metadata;
        if !provider_figures.is_empty() {
            let figure = |figure: &allometer_profile::ProviderFigure| {
                format!("{} {}", printable(&figure.name), bytes(figure.bytes))
            };
            let figures: Vec<String> = provider_figures.iter().map(figure).collect();
            let name = provider.as_deref().map(|name| format!(" {}", printable(name))).unwrap_or_default();
            let _ = writeln!(text, "allocator{name}: {}", figures.join(", "));
        }
        if let Some(at) = peak {
            let amount: Amount =
                self.profile.samples.iter().fold(Amount::default(), |sum, sample| sum + sample.peak);
            let (live, at) = (quantity::bytes_with_error(amount.bytes), quantity::time(*at));
            let _ = writeln!(text, "at peak: {live} live, {at} after the session's start");
        }
        if let Some(gap) = gap(self.profile) {
            let _ = write!(text, "\nwhere the memory is:\n{gap}\n");
        }
    }
}

fn bytes(bytes: u64) -> String {
    quantity::bytes(bytes as f64)
}
