//! What `go tool pprof -top` prints.

/// The rows of one answer, largest own value first.
#[derive(Debug)]
pub(super) struct Table {
    /// The profile's total, in whatever unit the reader chose.
    pub(super) total: f64,
    pub(super) rows: Vec<Row>,
}

/// One function, or with `-lines` one line of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    /// Whether it has a value of its own, not only that of what it calls.
    pub(super) is_leaf: bool,
    /// `file:line`, where the reader printed one.
    pub(super) line: Option<String>,
}

impl Table {
    /// Reads the header's total and the rows below the heading.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
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

/// The `16.5` of `... of 16.5MB total`.
fn total(header: &str) -> Option<f64> {
    let (_, total) = header.strip_suffix(" total")?.rsplit_once(" of ")?;
    let number = total.trim_end_matches(|c: char| !c.is_ascii_digit());
    number.parse().ok()
}

impl Row {
    /// Five figures, the name (which may hold spaces), perhaps `file:line`, perhaps `(inline)`.
    fn parse(line: &str) -> Result<Self, String> {
        let is_leaf = line.split_whitespace().next() != Some("0");
        let mut rest = line.trim_start();
        for _ in 0..5 {
            rest = rest.split_once(' ').ok_or_else(|| format!("no row: {line:?}"))?.1.trim_start();
        }
        for suffix in [" (inline)", " (partial-inline)"] {
            rest = rest.strip_suffix(suffix).unwrap_or(rest);
        }
        let place = rest.rsplit_once(' ').filter(|(_, place)| is_line(place));
        let (name, line) = place.map_or((rest, None), |(name, place)| (name, Some(place.to_owned())));
        Ok(Self { name: name.to_owned(), is_leaf, line })
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
        assert_eq!(table.total, 16.5);
        let expected = [
            ("alloc::raw_vec::finish_grow", None),
            ("<syn::Expr as core::clone::Clone>::clone", Some("/x/src/lib.rs:12")),
            ("demo::main", None),
        ];
        let read: Vec<_> = table.rows.iter().map(|row| (row.name.as_str(), row.line.as_deref())).collect();
        assert_eq!(read, expected);
        assert!(table.rows.iter().map(|row| row.is_leaf).eq([true, true, false]));
    }

    #[test]
    fn counts_have_no_unit() {
        assert_eq!(total("Showing nodes accounting for 5, 50% of 10 total"), Some(10.0));
        assert_eq!(total("Showing nodes accounting for -5kB, 50% of 0 total"), Some(0.0));
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
