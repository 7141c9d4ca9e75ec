use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use crate::{ReportFile, ReportFormat, ReportName, ReportReason, quantity};

/// How the memory of programs went, as the names of their reports tell it: see [`timeline`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The reports, the oldest first.
    pub rows: Vec<TimelineRow>,
}

/// One report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRow {
    /// Program, time, live heap, reason and process.
    pub name: ReportName,
    /// How many bytes more were live than at the report before of the same process; `None` where it is the first, or not about
    /// the heap ([`ReportReason::Giant`]).
    pub change: Option<i64>,
    /// The files of the report.
    pub formats: Vec<ReportFormat>,
}

/// A row for each report that `files` belong to. Displayed, it is a table with a header.
///
/// It knows no more than the names: the live heap to a tenth of a MiB. Reports of several programs and processes can
/// stand in one listing; changes are those within a process.
///
/// ```
/// use allometer_views::{ReportFile, timeline};
///
/// let listing = [
///     "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz",
///     "shop-2026-12-01T02:06:13.123Z-100.0MiB-period-4711.pb.gz",
///     "notes.txt",
/// ];
/// let timeline = timeline(listing.iter().filter_map(|name| name.parse::<ReportFile>().ok()));
/// assert_eq!(timeline.rows.len(), 2);
/// assert!(timeline.to_string().contains("-18.4 MiB  period"));
/// ```
pub fn timeline(files: impl IntoIterator<Item = ReportFile>) -> Timeline {
    let mut reports = BTreeMap::<_, (ReportName, Vec<ReportFormat>)>::new();
    for ReportFile { name, format } in files {
        // What is of one moment stands in the order of a listing.
        let key = (name.time, name.to_string());
        reports.entry(key).or_insert_with(|| (name, Vec::new())).1.push(format);
    }
    let mut before = HashMap::new();
    let row = |(name, mut formats): (ReportName, Vec<ReportFormat>)| {
        formats.sort_unstable();
        formats.dedup();
        // That of a process which has ended knows nothing of its heap.
        let is_of_heap = name.reason != ReportReason::Giant;
        let process = is_of_heap.then(|| (name.program.clone(), name.process));
        let earlier = process.and_then(|process| before.insert(process, name.live_bytes));
        TimelineRow { change: earlier.map(|earlier| change(earlier, name.live_bytes)), name, formats }
    };
    Timeline { rows: reports.into_values().map(row).collect() }
}

/// From the one to the other; what no number of this size can say is the nearest that one can.
fn change(earlier: u64, later: u64) -> i64 {
    let difference = i128::from(later) - i128::from(earlier);
    let nearest = difference.clamp(i64::MIN.into(), i64::MAX.into());
    nearest as i64
}

impl TimelineRow {
    fn cells(&self) -> [String; 7] {
        let Self { name, change, formats } = self;
        let change = change.map_or_else(String::new, |change| {
            quantity::signed(change as f64, &quantity::bytes(change as f64))
        });
        let formats: Vec<&str> = formats.iter().map(|format| format.extension()).collect();
        [
            name.moment(),
            quantity::bytes(name.live_bytes as f64),
            change,
            name.reason.to_string(),
            name.program.to_string(),
            name.process.to_string(),
            formats.join(" "),
        ]
    }
}

const HEADER: [&str; 7] = ["time", "live", "change", "reason", "program", "process", "files"];
/// Columns of figures, which are aligned to the right.
const FIGURES: [bool; 7] = [false, true, true, false, false, true, false];

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rows.is_empty() {
            return f.write_str("There are no reports.\n");
        }
        let table: Vec<_> = std::iter::once(HEADER.map(str::to_owned))
            .chain(self.rows.iter().map(TimelineRow::cells))
            .collect();
        let width = |column: usize| {
            let width = |row: &[String; 7]| row.get(column).map_or(0, |cell| cell.chars().count());
            table.iter().map(width).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
        for row in &table {
            let mut line = String::new();
            for ((cell, width), is_figure) in row.iter().zip(&widths).zip(FIGURES) {
                let cell = if is_figure { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
                line.push_str(&cell);
                line.push_str("  ");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Timeline {
        timeline(names.iter().map(|name| name.parse::<ReportFile>().unwrap()))
    }

    #[test]
    fn a_listing_becomes_a_table() {
        let timeline = of(&[
            "shop-2026-12-01T02:00:00.500Z-100.0MiB-shrank-4711.pb.gz",
            "shop-2026-12-01T01:00:00.000Z-2118.4MiB-grew-4711.svg",
            "shop-2026-12-01T01:00:00.000Z-2118.4MiB-grew-4711.pb.gz",
            "till-2026-12-01T01:30:00.000Z-7.0MiB-exit-12.txt",
            "shop-2026-12-01T01:30:00.000Z-0.5MiB-period-99.pb.gz",
        ]);
        let expected = "\
time                      live      change      reason  program  process  files
2026-12-01T01:00:00.000Z   2.1 GiB              grew    shop        4711  pb.gz svg
2026-12-01T01:30:00.000Z 512.0 KiB              period  shop          99  pb.gz
2026-12-01T01:30:00.000Z   7.0 MiB              exit    till          12  txt
2026-12-01T02:00:00.500Z 100.0 MiB   -2.0 GiB   shrank  shop        4711  pb.gz
";
        let words = |text: &str| -> Vec<Vec<String>> {
            text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
        };
        let shown = timeline.to_string();
        assert_eq!(words(&shown), words(expected), "\n{shown}");
        let ends: Vec<_> = shown.lines().map(|line| line.find("MiB").or(line.find("GiB"))).collect();
        assert_eq!((ends[1], ends[3]), (ends[4], ends[4]), "not below each other:\n{shown}");
        assert_eq!(timeline.rows[3].change, Some((100 << 20) - 2_221_303_398));
    }

    #[test]
    fn no_reports_are_said_to_be_none() {
        assert_eq!(of(&[]).to_string(), "There are no reports.\n");
    }

    #[test]
    fn a_change_that_no_number_can_say_is_the_nearest() {
        assert_eq!((change(u64::MAX, 0), change(0, u64::MAX), change(5, 3)), (i64::MIN, i64::MAX, -2));
    }
}
