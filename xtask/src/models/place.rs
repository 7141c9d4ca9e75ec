//! A place where an order of memory is asked for.

use std::collections::{BTreeMap, BTreeSet};

use super::program::Model;
use crate::{error::Error, workspace::Workspace};

/// Where the sources of the models' crate are.
const SOURCES: &str = "crates/profiling-core/src/";

/// One operation in the source, with an order stronger than the weakest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// As the models write it: file, line, column, and perhaps `failure`.
    pub(super) location: String,
    /// File, function, operation, and a number where one function has several of the kind; as `failure` of a
    /// compare-and-swap: its second order.
    pub(super) name: String,
}

/// A location, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Location<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    suffix: &'a str,
}

impl<'a> Location<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (place, suffix) = text.split_once(' ').unwrap_or((text, ""));
        let (place, column) = place.rsplit_once(':')?;
        let (file, line) = place.rsplit_once(':')?;
        Some(Self { file, line: line.parse().ok()?, column: column.parse().ok()?, suffix })
    }

    /// Whether it is in a model or in a test, not in what is checked.
    fn is_of_a_test(self) -> bool {
        self.file.ends_with("models.rs") || self.file.ends_with("tests.rs")
    }

    /// Without the number.
    fn name(self, source: &str) -> Option<String> {
        let lines: Vec<&str> = source.lines().collect();
        let line = lines.get(self.line.checked_sub(1)?)?;
        let operation = word(line.get(self.column.checked_sub(1)?..)?);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let before = lines[..self.line].iter().rev();
        let function = before.filter(|other| indent(other) < indent(line)).find_map(|line| {
            let (head, rest) = line.split_once("fn ")?;
            let is_head = head.chars().all(|c| c.is_alphanumeric() || " ()_".contains(c));
            is_head.then(|| word(rest))
        })?;
        let file = self.file.strip_prefix(SOURCES)?;
        Some([file, function, operation, self.suffix].join(" ").trim_end().to_owned())
    }
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    end.map_or(text, |end| &text[..end])
}

/// All places that the models met, named.
pub(super) fn named(workspace: &Workspace, models: &[Model]) -> Result<Vec<Place>, Error> {
    let texts: BTreeSet<&str> =
        models.iter().flat_map(|model| model.places.iter()).map(String::as_str).collect();
    let mut sources = BTreeMap::new();
    let mut named = Vec::new();
    for text in texts {
        let not_understood = || Error::Models(vec![format!("{text} is no place as it is known here")]);
        let location = Location::read(text).ok_or_else(not_understood)?;
        if location.is_of_a_test() {
            continue;
        }
        if !sources.contains_key(location.file) {
            sources.insert(location.file, workspace.read(location.file)?);
        }
        let name = sources.get(location.file).and_then(|source| location.name(source));
        named.push((location, text, name.ok_or_else(not_understood)?));
    }
    // In the order of the source, so that what is alike is numbered in it.
    named.sort();
    let mut counts = BTreeMap::new();
    let places = named.into_iter().map(|(_, location, name)| {
        let count = counts.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { name } else { format!("{name} {count}") };
        Place { location: location.to_owned(), name }
    });
    Ok(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "impl Seat {
    pub(crate) fn leave(&self) {
        let tables = self.tables.load(Acquire);
        let holds = |index: usize| {
            self.state
                .swap(0, AcqRel)
        };
    }
}
";

    #[test]
    fn a_place_is_named_by_its_function_and_operation() {
        let name = |text| Location::read(text).and_then(|location| location.name(SOURCE));
        assert_eq!(name("crates/profiling-core/src/seat.rs:3:34").unwrap(), "seat.rs leave load");
        assert_eq!(
            name("crates/profiling-core/src/seat.rs:6:18 failure").unwrap(),
            "seat.rs leave swap failure"
        );
        assert_eq!(name("crates/profiling-core/src/seat.rs:60:1"), None);
        assert_eq!(name("seat.rs"), None);
    }
}
