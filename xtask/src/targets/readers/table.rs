//! What `go tool pprof -top` prints.

use crate::targets::readers::shown::Shown;

/// The rows of one answer, largest own value first.
#[derive(Debug)]
pub(in crate::targets) struct Table {
    /// The profile's total, as it is shown.
    pub(super) total: String,
    pub(in crate::targets) rows: Vec<Row>,
}

/// One function, or with `-lines` one line of it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::targets) struct Row {
    pub(in crate::targets) name: String,
    /// What it has of its own, without all that it calls, as shown.
    pub(super) own: String,
    /// The same with all that it calls.
    pub(in crate::targets) cumulative: String,
    /// `file:line`, where the reader printed one.
    pub(super) line: Option<String>,
}

impl Table {
    /// Reads the header's total and the rows below the heading.
    pub(in crate::targets) fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let header = lines.find(|line| line.starts_with("Showing nodes accounting for"));
        let total = header.and_then(total).ok_or("no line tells the total")?;
        lines
            .find(|line| line.split_whitespace().eq(["flat", "flat%", "sum%", "cum", "cum%"]))
            .ok_or("no heading")?;
        let rows = lines.map(Row::parse).collect::<Result<_, _>>()?;
        Ok(Self { total, rows })
    }
}

/// The `16.5MB` of `... of 16.5MB total`.
fn total(header: &str) -> Option<String> {
    let (_, total) = header.strip_suffix(" total")?.rsplit_once(" of ")?;
    Shown::read(total).map(|_| total.to_owned())
}

impl Row {
    /// Whether it has a value of its own, not only that of what it calls.
    pub(super) fn is_leaf(&self) -> bool {
        self.own != "0"
    }

    /// Five figures, the name (which may hold spaces), perhaps `file:line`, perhaps `(inline)`.
    fn parse(line: &str) -> Result<Self, String> {
        let mut rest = line.trim_start();
        let mut figures = [""; 5];
        for figure in &mut figures {
            let (word, after) = rest.split_once(' ').ok_or_else(|| format!("no row: {line:?}"))?;
            (*figure, rest) = (word, after.trim_start());
        }
        let [own, cumulative] = [figures[0], figures[3]].map(str::to_owned);
        for suffix in [" (inline)", " (partial-inline)"] {
            rest = rest.strip_suffix(suffix).unwrap_or(rest);
        }
        let place = rest.rsplit_once(' ').filter(|(_, place)| is_line(place));
        let (name, line) = place.map_or((rest, None), |(name, place)| (name, Some(place.to_owned())));
        Ok(Self { name: name.to_owned(), own, cumulative, line })
    }
}

/// Whether this is `file:line` with a line from 1.
fn is_line(place: &str) -> bool {
    place
        .rsplit_once(':')
        .is_some_and(|(file, line)| !file.is_empty() && line.parse().is_ok_and(|it: u32| it > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: &str = "\
File: demo
Type: inuse_space
Showing nodes accounting for 16.50MB, 100% of 16.50MB total
Dropped 2 nodes (cum <= 0.08MB)
      flat  flat%   sum%        cum   cum%
   10.50MB 63.64% 63.64%    10.50MB 63.64%  alloc::raw_vec::finish_grow
       6MB 36.36%   100%        6MB 36.36%  <syn::Expr as core::clone::Clone>::clone /x/src/lib.rs:12 (inline)
         0     0%   100%    16.50MB   100%  demo::main
";

    #[test]
    fn a_table_is_read() {
        let table = Table::parse(TOP).unwrap();
        assert_eq!(table.total, "16.50MB");
        let expected = [
            ("alloc::raw_vec::finish_grow", None),
            ("<syn::Expr as core::clone::Clone>::clone", Some("/x/src/lib.rs:12")),
            ("demo::main", None),
        ];
        let read: Vec<_> = table.rows.iter().map(|row| (row.name.as_str(), row.line.as_deref())).collect();
        assert_eq!(read, expected);
        assert!(table.rows.iter().map(Row::is_leaf).eq([true, true, false]));
    }

    #[test]
    fn counts_have_no_unit() {
        assert_eq!(total("Showing nodes accounting for 5, 50% of 10 total").unwrap(), "10");
        assert_eq!(total("Showing nodes accounting for -5kB, 50% of 0 total").unwrap(), "0");
        assert_eq!(total("Showing nodes accounting for 5, 50% of ? total"), None);
    }

    #[test]
    fn a_path_without_a_line_is_part_of_the_name() {
        assert_eq!(Row::parse("1 2% 3% 4 5% core::ptr::drop<a::b>").unwrap().line, None);
        assert_eq!(Row::parse("1 2% 3% 4 5% f lib.rs:0").unwrap().line, None);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Table::parse("").is_err());
        assert!(Table::parse("Showing nodes accounting for 1, 1% of 1 total\n").is_err());
        assert!(Table::parse(&format!("{TOP}oops\n")).is_err());
    }
}
