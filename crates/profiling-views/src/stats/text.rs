use std::fmt;

use allometer_profile::{Amount, Figures, SampleType};

use super::histogram::{self, lifetime, lines, size};
use super::{Ranking, Stats};
use crate::loss;
use crate::quantity::{amount, bytes, bytes_with_error, count, objects, percent, time};

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_totals(f)?;
        section(f, "sizes of what was allocated, from", &lines(&self.metadata.sizes, size))?;
        let freed = histogram::quantiles(&self.lifetimes, self.metadata.elapsed);
        let title = format!("lifetimes of what was freed, from ({})", freed.unwrap_or_default());
        section(f, &title, &lines(&self.lifetimes.objects, lifetime))?;
        let live = histogram::quantiles(&self.ages, self.metadata.elapsed);
        let title = format!("ages of what is live, from ({})", live.unwrap_or_default());
        section(f, &title, &lines(&self.ages.objects, lifetime))?;
        for ranking in &self.rankings {
            section(f, title_of(ranking.sample_type), &ranking.lines(&self.total))?;
        }
        section(f, "tags", &self.tag_lines())?;
        let figures = self.metadata.provider_figures.iter();
        let figures: Vec<String> = figures
            .map(|figure| format!("{:<14}{}", crate::printable(&figure.name), bytes(figure.bytes as f64)))
            .collect();
        section(f, "what the allocator says of itself, in usable sizes", &figures)?;
        let losses: Vec<String> = self.metadata.losses.iter().map(loss::describe).collect();
        section(f, "not in the samples", &losses)
    }
}

/// A title with lines below it, if there are any.
fn section(f: &mut fmt::Formatter<'_>, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(f, "\n{title}")?;
    lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
}

fn title_of(sample_type: SampleType) -> &'static str {
    match sample_type {
        SampleType::LiveBytes => "places by live bytes",
        SampleType::LiveObjects => "places by live objects",
        SampleType::AllocBytes => "places by allocated bytes",
        SampleType::AllocObjects => "places by allocated objects",
    }
}

impl Stats {
    fn write_totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rate = self.bytes_per_second().map_or(String::new(), |rate| format!(", {}/s", bytes(rate)));
        if !rate.is_empty() {
            rate.push_str(&format!(" over {}", time(self.metadata.duration)));
        }
        writeln!(f, "allocated  {}{rate}", of(self.total.alloc))?;
        if self.metadata.live {
            writeln!(f, "live       {}", of(self.total.live))?;
        }
        if let Some(at) = self.metadata.peak {
            writeln!(f, "peak       {}, {} after the start", of(self.peak), time(at))?;
        }
        match self.metadata.sample_interval {
            0 => writeln!(f, "sampled    at an interval that is not known"),
            1 => writeln!(f, "sampled    every allocation"),
            interval => writeln!(f, "sampled    once in {}, ± one standard error", bytes(interval as f64)),
        }
    }

    fn tag_lines(&self) -> Vec<String> {
        let name = |tag: &Option<String>| tag.clone().unwrap_or_else(|| "[none]".to_owned());
        let live = |figures: &Figures| match self.metadata.live {
            true => format!("{} live, ", bytes_with_error(figures.live.bytes)),
            false => String::new(),
        };
        let figures: Vec<String> = self
            .tags
            .iter()
            .map(|(_, figures)| {
                format!("{}{} allocated", live(figures), bytes_with_error(figures.alloc.bytes))
            })
            .collect();
        let width = figures.iter().map(|text| text.chars().count()).max().unwrap_or_default();
        self.tags
            .iter()
            .zip(figures)
            .map(|((tag, _), figures)| format!("{figures:<width$}  {}", name(tag)))
            .collect()
    }
}

/// `12.3 MiB ± 0.8 in 1,234 objects, mean 10.2 KiB`.
fn of(amount: Amount) -> String {
    let mean = if amount.objects.value > 0.0 {
        format!(", mean {}", bytes(amount.bytes.value / amount.objects.value))
    } else {
        String::new()
    };
    format!("{} in {}{mean}", bytes_with_error(amount.bytes), objects(amount.objects.value))
}

impl Ranking {
    fn lines(&self, total: &Figures) -> Vec<String> {
        let all = total.get(self.sample_type).value;
        let values = self.rows.iter().map(|row| row.figures.get(self.sample_type).value);
        let cells: Vec<(String, String)> =
            values.map(|value| (amount(self.sample_type, value), percent(value, all))).collect();
        let width = cells.iter().map(|(figure, _)| figure.chars().count()).max().unwrap_or_default();
        let mut lines: Vec<String> = self
            .rows
            .iter()
            .zip(cells)
            .map(|(row, (figure, share))| format!("{figure:>width$}  {share:>6}  {}", row.place))
            .collect();
        if self.hidden > 0 {
            let places = if self.hidden == 1 { "place" } else { "places" };
            lines.push(format!("{} more {places}", count(self.hidden as f64)));
        }
        lines
    }
}
