//! What `go tool pprof` shows in a terminal.

use std::path::Path;

use allometer_profile::Profile;

use crate::{
    error::Error,
    targets::readers::{
        answer::{DEFAULT, Extent},
        expected::{Chain, Expected},
        names, pprof,
        shown::Shown,
        stage::{Stage, in_words},
        subject::Subject,
        table::Table,
    },
};

/// How many of the functions that allocate most must be the program's own.
const FIRST: usize = 10;
/// The subject of which there is an earlier profile.
const DEMO: &str = "demo";

/// What `-top` shows.
pub(super) fn top(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.is_of_a_program() {
        return Ok(None);
    }
    let answer = pprof::answer(stage.workspace, &subject.file)?;
    let expected = Expected::of(&subject.profile, DEFAULT, Chain::All);
    if let Some(found) = answer.fault(&expected, Extent::Table) {
        return Err(Error::reader("-top", found));
    }
    for comment in ["provider: ", "sample interval: "] {
        if !answer.text.contains(comment) {
            return Err(Error::reader("-top", format!("the header has no line {comment:?}")));
        }
    }
    let at_least = subject.program.holds as f64 * 0.9;
    if expected.total < at_least {
        let found = format!("the program holds {at_least} bytes and more, not {}", expected.total);
        return Err(Error::reader("-top", found));
    }
    Ok(Some(in_words(&answer, &expected)))
}

/// Whose functions are there.
pub(super) fn own_names(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.is_of_a_program() {
        return Ok(None);
    }
    let mut rows = 0;
    for options in [&[][..], &["-sample_index=alloc_objects"]] {
        let table = pprof::top(stage.workspace, options, &subject.file)?;
        if let Some(found) = fault_in(&table, subject.program.crates) {
            return Err(Error::reader(&format!("-top {}", options.join(" ")), found));
        }
        rows += table.rows.len();
    }
    Ok(Some(format!("{rows} rows, all of the program")))
}

/// What is wrong with the names of a table, if anything is.
fn fault_in(table: &Table, crates: &[&str]) -> Option<String> {
    if let Some(row) = table.rows.iter().find(|row| names::is_of_the_profiler(&row.name)) {
        return Some(format!("`{}` is of the profiler", row.name));
    }
    let mut first = table.rows.iter().filter(|row| row.is_leaf()).take(FIRST);
    let other = first.find(|row| !names::is_of(crates, &row.name))?;
    Some(format!("`{}` allocates, and is no function of the program", other.name))
}

/// Where in the source.
pub(super) fn lines(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.is_of_a_program() || !subject.program.has_lines {
        return Ok(None);
    }
    let table = pprof::top(stage.workspace, &["-lines"], &subject.file)?;
    let own = |has_line: bool| {
        let rows = table.rows.iter().filter(|row| row.line.is_some() == has_line);
        rows.filter_map(|row| Shown::read(&row.own)).map(|own| own.value).sum::<f64>()
    };
    let (with, without) = (own(true), own(false));
    // Code that a compiler made one of several places has none.
    if without > 0.01 * with {
        return Err(Error::reader("-lines", format!("{without} bytes are at no line, {with} at one")));
    }
    let Some((function, source)) = subject.program.source else {
        return Ok(Some(format!("{:.1} % at a line", 100.0 * with / (with + without))));
    };
    let listing = pprof::print(stage.workspace, &[&format!("-list={function}")], &subject.file)?;
    let figure = pprof::figure_at(&listing, source);
    let figure =
        figure.ok_or_else(|| Error::reader("-list", format!("{source:?} is not there with a figure")))?;
    Ok(Some(format!("{:.1} % at a line; {figure} at {source:?}", 100.0 * with / (with + without))))
}

/// Who calls whom.
pub(super) fn order(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.is_of_a_program() {
        return Ok(None);
    }
    let order = subject.program.order;
    let traces = pprof::print(stage.workspace, &["-traces"], &subject.file)?;
    let stacks = pprof::stacks(&traces).filter(|stack| pprof::has_in_order(stack, order)).count();
    if stacks == 0 {
        return Err(Error::reader("-traces", format!("no stack has {}", order.join(", "))));
    }
    let tree = pprof::print(stage.workspace, &["-tree"], &subject.file)?;
    if let Some(absent) = order.iter().find(|part| !tree.contains(**part)) {
        return Err(Error::reader("-tree", format!("no function is called {absent}")));
    }
    Ok(Some(format!("{stacks} stacks through {}", order.join(", "))))
}

/// What changed since another profile.
pub(super) fn base(stage: &Stage<'_>, subject: &Subject) -> Result<Option<String>, Error> {
    if !subject.is_of_a_program() {
        return Ok(None);
    }
    let against = |base: &Path| {
        let option = format!("-base={}", base.display());
        let table = pprof::top(stage.workspace, &[&option], &subject.file)?;
        // Its total adds up what grew and what shrank.
        let own = table.rows.iter().map(|row| Shown::read(&row.own)).collect::<Option<Vec<_>>>();
        own.map(Shown::sum).ok_or_else(|| Error::reader("-base", "a figure cannot be read"))
    };
    let itself = against(&subject.file)?;
    if itself.value != 0.0 {
        return Err(Error::reader("-base", format!("against itself it grew by {}", itself.value)));
    }
    if subject.name != DEMO {
        return Ok(Some("nothing against itself".to_owned()));
    }
    let bytes = |profile: &Profile| Expected::of(profile, DEFAULT, Chain::All).total;
    let grown = bytes(&subject.profile) - bytes(&stage.middle.profile);
    let shown = against(&stage.middle.file)?;
    if !shown.is(grown) {
        return Err(Error::reader("-base", format!("it grew by {}, not {grown}", shown.value)));
    }
    Ok(Some(format!("grew by {:.0} bytes since its middle, nothing against itself", shown.value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::readers::table::Row;

    fn table(rows: &[(&str, &str)]) -> Table {
        let row = |&(own, name): &(&str, &str)| Row {
            name: name.into(),
            own: own.into(),
            cumulative: own.into(),
            line: None,
        };
        Table { total: "1MB".to_owned(), rows: rows.iter().map(row).collect() }
    }

    #[test]
    fn names_of_the_program_are_well_and_others_are_found() {
        let well =
            [("1MB", "alloc::raw_vec::finish_grow"), ("2B", "syn::parse_file"), ("0", "libc.so.6+0x12")];
        assert_eq!(fault_in(&table(&well), &["syn"]), None);
        let leaf = fault_in(&table(&[("1MB", "mi_malloc")]), &["syn"]);
        assert!(leaf.unwrap().contains("`mi_malloc` allocates"));
        let profiler = fault_in(&table(&[("0", "allometer_core::capture::capture")]), &["syn"]);
        assert!(profiler.unwrap().contains("of the profiler"));
    }
}
