use std::fmt;

use allometer_profile::Growth;

use super::{Basis, Diff, DiffBy, FALSE_DISCOVERY_RATE};
use crate::quantity::{bytes, bytes_with_error, count, signed};

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noise = if self.total_p_value <= FALSE_DISCOVERY_RATE { "" } else { ", which noise explains" };
        writeln!(f, "live heap: {}{noise}", change(&self.total))?;
        if self.basis == Basis::AssumedIndependent {
            f.write_str(
                "the profiles are taken as independent: true errors are smaller where they share objects\n",
            )?;
        }
        if self.rows.is_empty() {
            writeln!(f, "no {} changed by more than noise explains", noun(self.by, 1))?;
        } else {
            writeln!(f)?;
        }
        let cells: Vec<[String; 3]> = self
            .rows
            .iter()
            .map(|row| {
                let live = |amount: allometer_profile::Amount| bytes(amount.bytes.value);
                [change(&row.growth), live(row.before), live(row.after)]
            })
            .collect();
        let titles = ["growth", "before", "after"];
        let width = |column: usize| {
            let cells = cells.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or(0).max(titles[column].len())
        };
        let widths = [width(0), width(1), width(2)];
        if !self.rows.is_empty() {
            let [growth, before, after] = widths;
            writeln!(f, "{:>growth$}  {:>before$}  {:>after$}  where", titles[0], titles[1], titles[2])?;
        }
        for (row, cells) in self.rows.iter().zip(&cells) {
            let [growth, before, after] = widths;
            writeln!(f, "{:>growth$}  {:>before$}  {:>after$}  {}", cells[0], cells[1], cells[2], row.place)?;
        }
        if self.hidden == 0 {
            return Ok(());
        }
        let (others, growth) = (noun(self.by, self.hidden), change(&self.hidden_growth));
        let together = if self.hidden == 1 { "" } else { " together" };
        let hidden = count(self.hidden as f64);
        writeln!(f, "{hidden} more {others} changed, each by what noise may explain: {growth}{together}")
    }
}

fn noun(by: DiffBy, count: usize) -> &'static str {
    match (by, count) {
        (DiffBy::Stack, 1) => "site",
        (DiffBy::Stack, _) => "sites",
        (DiffBy::Function, 1) => "function",
        (DiffBy::Function, _) => "functions",
    }
}

fn change(growth: &Growth) -> String {
    signed(growth.amount.bytes.value, &bytes_with_error(growth.amount.bytes))
}

#[cfg(test)]
mod tests {
    use crate::{diff, diff::tests::profile};

    #[test]
    fn shows_what_grew_with_its_error_and_sums_up_the_rest() {
        let before = profile(Some(7), &[("cache", (0..50).collect()), ("index", (0..40).collect())]);
        let after = profile(Some(7), &[("leak", (0..36).collect()), ("cache", (5..52).collect())]);
        let expected = "\
live heap: -7.0 MiB ± 9.1, which noise explains

        growth    before     after  where
-40.0 MiB ± 6.3  40.0 MiB       0 B  index < main
+36.0 MiB ± 6.0       0 B  36.0 MiB  leak < main
1 more site changed, each by what noise may explain: -3.0 MiB ± 2.6
";
        let shown = diff(&before, &after).to_string();
        let spaces = |text: &str| {
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(spaces(&shown), spaces(expected), "{shown}");
    }

    #[test]
    fn nothing_changed_is_a_sentence() {
        let before = profile(None, &[("cache", (0..5).collect())]);
        let shown = diff(&before, &before).to_string();
        assert_eq!(
            shown,
            "live heap: +0.0 MiB ± 3.2, which noise explains\n\
             the profiles are taken as independent: true errors are smaller where they share objects\n\
             no site changed by more than noise explains\n\
             1 more site changed, each by what noise may explain: +0.0 MiB ± 3.2\n"
        );
    }
}
