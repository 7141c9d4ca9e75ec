use std::fmt;

use allometer_profile::{Figures, Metadata, SampleType};

use super::Top;
use crate::frames::printable;
use crate::loss;
use crate::quantity::{bytes, bytes_with_error, count, objects, percent};

impl fmt::Display for Top {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            f.write_str("The profile has no samples.\n")?;
            return self.write_losses(f);
        }
        self.write_header(f)?;
        let columns = self.columns();
        let table: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| columns.iter().map(|column| self.cell(row, *column)).collect())
            .collect();
        let widths: Vec<usize> = columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                let cells = table.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
                cells.max().unwrap_or(0).max(column.title().len())
            })
            .collect();
        write_row(f, columns.iter().map(|column| column.title()), &widths, "function")?;
        for (cells, row) in table.iter().zip(&self.rows) {
            write_row(f, cells.iter().map(|cell| &**cell), &widths, &row.function)?;
        }
        self.write_rest(f)
    }
}

fn write_row<'cell>(
    f: &mut fmt::Formatter<'_>,
    cells: impl Iterator<Item = &'cell str>,
    widths: &[usize],
    function: &str,
) -> fmt::Result {
    for (cell, width) in cells.zip(widths) {
        write!(f, "{cell:>width$}  ")?;
    }
    writeln!(f, "{function}")
}

impl Top {
    fn write_header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { alloc, live } = self.total;
        if self.metadata.live {
            write!(f, "{} live in {}, ", bytes_with_error(live.bytes), objects(live.objects.value))?;
        }
        writeln!(f, "{} allocated in {}", bytes_with_error(alloc.bytes), objects(alloc.objects.value))?;
        let remarks = remarks(&self.metadata);
        if !remarks.is_empty() {
            writeln!(f, "{}", remarks.join(", "))?;
        }
        self.write_losses(f)?;
        writeln!(f)
    }

    fn write_losses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for loss in &self.metadata.losses {
            writeln!(f, "not in the samples: {}", loss::describe(loss))?;
        }
        Ok(())
    }

    /// What the rows leave out.
    fn write_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hidden == 0 {
            return Ok(());
        }
        let sample_type = if self.metadata.live { SampleType::LiveBytes } else { SampleType::AllocBytes };
        let (part, whole) = (self.hidden_flat.get(sample_type).value, self.total.get(sample_type).value);
        let functions = if self.hidden == 1 { "function" } else { "functions" };
        let what = if self.metadata.live { "live" } else { "allocated" };
        let (number, share) = (count(self.hidden as f64), percent(part, whole));
        writeln!(f, "{number} more {functions} not shown: {} {what}, {share}", bytes(part))
    }
}

/// How the profile was made, as far as it says so.
fn remarks(metadata: &Metadata) -> Vec<String> {
    let mut remarks = Vec::new();
    match metadata.sample_interval {
        0 => {}
        1 => remarks.push("every allocation recorded".to_owned()),
        interval => remarks.push(format!("one sample in {}, ± one standard error", bytes(interval as f64))),
    }
    if let Some(provider) = &metadata.provider {
        remarks.push(format!("allocator {}", printable(provider)));
    }
    if !metadata.duration.is_zero() {
        remarks.push(format!("{:.1} s", metadata.duration.as_secs_f64()));
    }
    remarks
}

#[cfg(test)]
mod tests {
    use crate::top;
    use allometer_profile::{
        Amount, Estimate, Figures, Lifetimes, Loss, Metadata, Profile, ProfileBuilder, RawFrame, Symbolizer,
    };
    use std::time::Duration;

    fn amount(objects: f64, bytes: f64) -> Amount {
        Amount { objects: Estimate::exact(objects), bytes: Estimate::exact(bytes) }
    }

    fn profile(metadata: Metadata) -> Profile {
        let mut builder = ProfileBuilder::new(metadata);
        let [main, parse] = ["shop::main", "shop::parse"].map(RawFrame::Marker);
        builder.add([parse, main], Figures { alloc: amount(4000.0, 3e6), live: amount(1500.0, 1.5e6) });
        builder.add([main], Figures { alloc: amount(1.0, 512.0), live: amount(1.0, 512.0) });
        builder.finish(&mut Symbolizer::new())
    }

    #[test]
    fn shows_a_table_with_a_header() {
        let metadata = Metadata {
            live: true,
            sample_interval: 524_288,
            provider: Some("mimalloc".to_owned()),
            duration: Duration::from_millis(2500),
            losses: vec![Loss {
                what: "beyond the bound".to_owned(),
                events: 1,
                amount: amount(2.0, 2048.0),
            }],
            peak: Some(Duration::from_secs(1)),
            ..Metadata::default()
        };
        let mut shop = profile(metadata);
        shop.samples[0].peak = amount(2500.0, 2.5e6);
        let lifetimes: &mut Lifetimes = shop.samples[0].lifetimes.get_or_insert_default();
        lifetimes.add(Duration::from_micros(1500), 2500.0);
        let expected = "\
1.4 MiB ± 0.8 live in 1,501 objects, 2.9 MiB ± 1.2 allocated in 4,001 objects
one sample in 512.0 KiB, ± one standard error, allocator mimalloc, 2.5 s
not in the samples: beyond the bound: 1 event, 2 objects, 2.0 KiB

          live       %  cum live       %  objects    mean     peak       allocated  objects   lived  function
 1.4 MiB ± 0.8  100.0%   1.4 MiB  100.0%    1,500  1000 B  2.4 MiB   2.9 MiB ± 1.2    4,000  1.5 ms  shop::parse
0.5 KiB ± 16.0    0.0%   1.4 MiB  100.0%        1   512 B      0 B  0.5 KiB ± 16.0        1          shop::main
";
        assert_eq!(top(&shop, 9).to_string(), expected);
    }

    #[test]
    fn without_live_figures_shows_what_was_allocated_and_what_it_leaves_out() {
        let metadata = Metadata { sample_interval: 1, ..Metadata::default() };
        let expected = "\
2.9 MiB allocated in 4,001 objects
every allocation recorded

allocated       %  cum allocated       %  objects   mean  function
  2.9 MiB  100.0%        2.9 MiB  100.0%    4,000  750 B  shop::parse
1 more function not shown: 512 B allocated, 0.0%
";
        assert_eq!(top(&profile(metadata), 1).to_string(), expected);
    }

    #[test]
    fn a_provider_cannot_speak_to_the_terminal() {
        let provider = Some("the \"best\"\u{1b}[31m".to_owned());
        let text = top(&profile(Metadata { provider, ..Metadata::default() }), 1).to_string();
        assert!(text.contains(r#"allocator the "best"\u{1b}[31m"#), "{text}");
    }

    #[test]
    fn an_empty_profile_is_a_sentence() {
        assert_eq!(top(&Profile::default(), 5).to_string(), "The profile has no samples.\n");
    }
}
