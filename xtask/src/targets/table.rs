//! All lines of a group over all providers.

use std::fmt;

use crate::targets::row::{Row, Verdict};

/// All lines of a group over all providers, printed as a table: every figure, whatever it is.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// In the order of the first consumer that has them.
    lines: Vec<Line>,
    /// The consumers that were measured.
    consumers: Vec<String>,
    /// Consumers, and numbers of lines that are not about them.
    excused: Vec<(String, String)>,
}

#[derive(Debug)]
struct Line {
    number: String,
    target: String,
    rows: Vec<(String, Row)>,
}

impl Table {
    /// Adds what a consumer says.
    pub(crate) fn add(&mut self, consumer: &str, rows: &[Row]) {
        self.consumers.push(consumer.to_owned());
        for row in rows {
            if row.verdict == Verdict::Elsewhere {
                self.excuse(consumer, &row.number);
                continue;
            }
            let index = self.lines.iter().position(|line| line.number == row.number);
            let index = index.unwrap_or_else(|| {
                let (number, target) = (row.number.clone(), row.target.clone());
                self.lines.push(Line { number, target, rows: Vec::new() });
                self.lines.len() - 1
            });
            self.lines[index].rows.push((consumer.to_owned(), row.clone()));
        }
    }

    /// Adds lines that are about no consumer.
    pub(crate) fn add_beside(&mut self, by: &str, rows: &[Row]) {
        for row in rows {
            let (number, target) = (row.number.clone(), row.target.clone());
            self.consumers.clone().iter().for_each(|consumer| self.excuse(consumer, &number));
            self.lines.push(Line { number, target, rows: vec![(by.to_owned(), row.clone())] });
        }
        let number = |line: &Line| line.number.trim_start_matches(char::is_alphabetic).parse::<u32>().ok();
        self.lines.sort_by_key(number);
    }

    /// Says that a line is not about a consumer: nothing is missing where it says nothing of it.
    pub(crate) fn excuse(&mut self, consumer: &str, number: &str) {
        self.excused.push((consumer.to_owned(), number.to_owned()));
    }

    /// The numbers of the lines that are not ok over every provider.
    pub(crate) fn not_ok(&self) -> Vec<String> {
        let is_not_ok = |line: &&Line| self.verdict(line) != Verdict::Ok;
        self.lines.iter().filter(is_not_ok).map(|line| line.number.clone()).collect()
    }

    fn verdict(&self, line: &Line) -> Verdict {
        let any = |verdict| line.rows.iter().any(|(_, row)| row.verdict == verdict);
        if any(Verdict::Short) || line.different().is_some() {
            Verdict::Short
        } else if any(Verdict::NotRun) || self.without(line).next().is_some() {
            Verdict::NotRun
        } else {
            Verdict::Ok
        }
    }

    /// The consumers that should say something of `line`, and do not.
    fn without<'a>(&'a self, line: &'a Line) -> impl Iterator<Item = &'a str> {
        let is_excused =
            |name: &str| self.excused.iter().any(|(of, number)| of == name && *number == line.number);
        let has = move |name: &str| line.rows.iter().any(|(of, _)| of == name) || is_excused(name);
        self.consumers.iter().map(String::as_str).filter(move |consumer| !has(consumer))
    }
}

impl Line {
    /// The figures, with the consumers that have the same ones together.
    fn figures(&self) -> Vec<(String, &str)> {
        let mut figures: Vec<(String, &str)> = Vec::new();
        for (consumer, row) in &self.rows {
            match figures.iter_mut().find(|(_, measured)| *measured == row.measured) {
                Some((consumers, _)) => {
                    consumers.push_str(", ");
                    consumers.push_str(consumer);
                }
                None => figures.push((consumer.clone(), &row.measured)),
            }
        }
        figures
    }

    /// What should be the same over all providers and is not.
    fn different(&self) -> Option<(&str, &str)> {
        let mut same = self.rows.iter().map(|(_, row)| row.same.as_str());
        let first = same.next()?;
        Some((first, same.find(|other| *other != first)?))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            let verdict = match self.verdict(line) {
                Verdict::Ok => "ok",
                Verdict::Short => "SHORT",
                Verdict::NotRun | Verdict::Elsewhere => "not run",
            };
            writeln!(f, "{:<4} {verdict:<8} {}", line.number, line.target)?;
            for (consumers, measured) in line.figures() {
                writeln!(f, "     {consumers}: {measured}")?;
            }
            match line.different() {
                Some((one, other)) => writeln!(f, "     not the same over all: {one}, {other}")?,
                None if line.rows.iter().any(|(_, row)| !row.same.is_empty()) => {
                    writeln!(f, "     the same over all: {}", line.rows[0].1.same)?;
                }
                None => {}
            }
            for consumer in self.without(line) {
                writeln!(f, "     {consumer}: not run, its program has no such line")?;
            }
        }
        let ok = self.lines.len() - self.not_ok().len();
        write!(f, "{ok} of {} lines ok", self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: &str, ok: bool, measured: &str, same: &str) -> Row {
        let (number, target) = (number.to_owned(), "a target".to_owned());
        let (measured, same) = (measured.to_owned(), same.to_owned());
        Row { number, target, verdict: Verdict::of(ok), measured, same }
    }

    fn table(one: &[Row], other: &[Row]) -> Table {
        let mut table = Table::default();
        table.add("one", one);
        table.add("other", other);
        table
    }

    #[test]
    fn equal_figures_are_one_line() {
        let rows = [row("X1", true, "0 wrong", ""), row("X2", true, "1 SE", "ff")];
        let table = table(&rows, &rows);
        assert_eq!(table.not_ok(), [""; 0]);
        let expected = "X1   ok       a target\n     one, other: 0 wrong\n\
                        X2   ok       a target\n     one, other: 1 SE\n     the same over all: ff\n\
                        2 of 2 lines ok";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn short_anywhere_is_short() {
        let table = table(&[row("X1", true, "1", "")], &[row("X1", false, "9", "")]);
        assert_eq!(table.not_ok(), ["X1"]);
        let expected = "X1   SHORT    a target\n     one: 1\n     other: 9\n0 of 1 lines ok";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn what_differs_between_providers_is_short() {
        let table = table(&[row("X6", true, "1", "ff")], &[row("X6", true, "1", "fe")]);
        assert_eq!(table.not_ok(), ["X6"]);
        assert!(table.to_string().contains("not the same over all: ff, fe"), "{table}");
    }

    #[test]
    fn a_figure_that_is_missing_is_not_run() {
        let table = table(&[row("X1", true, "1", "")], &[]);
        assert_eq!(table.not_ok(), ["X1"]);
        let text = table.to_string();
        assert!(text.contains("X1   not run") && text.contains("other: not run"), "{text}");
    }

    #[test]
    fn a_line_that_is_not_about_a_consumer_is_not_missing() {
        let mut table = table(&[row("K12", true, "1", "")], &[]);
        table.excuse("other", "K12");
        assert_eq!(table.not_ok(), [""; 0]);
        assert!(!table.to_string().contains("not run"), "{table}");
    }

    #[test]
    fn a_line_that_no_provider_runs_says_why() {
        let none = Row { verdict: Verdict::NotRun, ..row("K12", false, "no such bench", "") };
        let none = [none];
        let table = table(&none, &none);
        assert_eq!(table.not_ok(), ["K12"]);
        assert!(table.to_string().contains("not run  a target\n     one, other: no such bench"), "{table}");
    }
}
