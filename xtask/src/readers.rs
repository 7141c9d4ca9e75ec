//! The demo's profile, read by `go tool pprof`, the reader that everybody has.
//!
//! How well a profile reads depends on the debug information of the program, so the demo is built with
//! each level of it. Its input is fixed: the sources of this repository's crates.
//!
//! | module | owns |
//! |---|---|
//! | `demo` | building and running the demo |
//! | `table` | what `go tool pprof -top` prints |
//! | `population` | the samples added up by go and by us |
//! | `names` | which functions may be there, and which must |

mod demo;
mod names;
mod population;
mod table;

use std::{path::Path, time::Duration};

use self::{demo::Demo, table::Table};
use crate::{error::Error, process, workspace::Workspace};

/// The levels of debug information, in cargo's words, and whether they tell lines.
const LEVELS: [(&str, bool); 3] = [("none", false), ("line-tables-only", true), ("full", true)];
/// How many of the functions that allocate most must be the program's own.
const FIRST: usize = 10;
const DEADLINE: Duration = Duration::from_secs(2 * 60);

/// Builds and runs the demo at each level, and looks at its profile in each way that people do.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    for (level, has_lines) in LEVELS {
        let demo = Demo::build(workspace, level)?;
        demo.refuses(workspace, "no-such-directory")?;
        demo.refuses(workspace, "docs")?;
        demo.run(workspace)?;

        let heap = demo.written("heap.pb.gz");
        population::check(workspace, &heap)?;
        let since = format!("-base={}", demo.written("before.pb.gz").display());
        let mut rows = 0;
        for options in [&[][..], &["-sample_index=alloc_objects"], &["-lines"], &[since.as_str()]] {
            let table = read(workspace, options, &heap)?;
            rows += table.rows.len();
            let wants_lines = has_lines && options == ["-lines"];
            fault_in(&table, wants_lines).map_or(Ok(()), |fault| {
                Err(Error::Reader { place: format!("debug = {level}, -top {}", options.join(" ")), fault })
            })?;
        }
        println!("debug = {level}: {rows} rows in four tables, all of the program");
    }
    Ok(())
}

/// `go tool pprof -top` of `profile`, nothing left out.
fn read(workspace: &Workspace, options: &[&str], profile: &Path) -> Result<Table, Error> {
    let mut command = workspace.command("go");
    command.args(["tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0"]);
    command.args(options).arg(profile);
    let text = process::read(&mut command, DEADLINE)?;
    Table::parse(&text).map_err(|fault| Error::Reader { place: format!("-top {}", options.join(" ")), fault })
}

/// What is wrong with a table, if anything is.
fn fault_in(table: &Table, wants_lines: bool) -> Option<String> {
    if table.total == 0.0 {
        return Some("the total is zero".into());
    }
    if let Some(row) = table.rows.iter().find(|row| names::is_of_the_profiler(&row.name)) {
        return Some(format!("`{}` is of the profiler", row.name));
    }
    let named = |part: &&&str| table.rows.iter().any(|row| row.name.contains(**part));
    if let Some(part) = names::EXPECTED.iter().find(|part| !named(part)) {
        return Some(format!("no function of `{part}` is there"));
    }
    for row in table.rows.iter().filter(|row| row.is_leaf).take(FIRST) {
        if !names::is_of_the_program(&row.name) {
            return Some(format!("`{}` allocates, and is no function of the program", row.name));
        }
        if wants_lines && row.line.is_none() {
            return Some(format!("`{}` has no line", row.name));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{table::Row, *};

    fn row(name: &str, is_leaf: bool, line: Option<&str>) -> Row {
        Row { name: name.into(), is_leaf, line: line.map(str::to_owned) }
    }

    fn table(more: Row) -> Table {
        let rows = vec![
            row("alloc::raw_vec::finish_grow", true, Some("/x/raw_vec.rs:7")),
            row("syn::parse_file", false, None),
            row("demo::parse", false, None),
            more,
        ];
        Table { total: 1.0, rows }
    }

    #[test]
    fn a_table_of_the_program_is_well() {
        let table = table(row("libc.so.6+0x12", false, None));
        assert_eq!(fault_in(&table, true), None);
    }

    #[test]
    fn each_fault_is_found() {
        let leaf = row("mi_malloc", true, None);
        assert!(fault_in(&table(leaf), false).unwrap().contains("`mi_malloc` allocates"));
        let without_line = row("alloc::alloc::alloc", true, None);
        assert!(fault_in(&table(without_line), true).unwrap().contains("no line"));
        let profiler = row("allometer_core::capture::capture", false, None);
        assert!(fault_in(&table(profiler), false).unwrap().contains("of the profiler"));
        let nothing = Table { total: 0.0, rows: Vec::new() };
        assert!(fault_in(&nothing, false).unwrap().contains("zero"));
        let foreign = Table { total: 1.0, rows: vec![row("std::rt::start", true, None)] };
        assert!(fault_in(&foreign, false).unwrap().contains("syn::"));
    }
}
