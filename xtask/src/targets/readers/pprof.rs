//! `go tool pprof` in a terminal.

use std::{path::Path, time::Duration};

use crate::{
    error::Error,
    process,
    targets::readers::{
        answer::{Answer, Row},
        table::{self, Table},
    },
    workspace::Workspace,
};

const DEADLINE: Duration = Duration::from_secs(2 * 60);

/// What it prints of `profile`, nothing left out.
pub(in crate::targets) fn print(
    workspace: &Workspace,
    options: &[&str],
    profile: &Path,
) -> Result<String, Error> {
    let mut command = workspace.command("go");
    command.args(["tool", "pprof", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0"]);
    command.args(options).arg(profile);
    process::read(&mut command, DEADLINE)
}

/// The same as a table of functions, or with `-lines` of lines.
pub(super) fn top(workspace: &Workspace, options: &[&str], profile: &Path) -> Result<Table, Error> {
    let text = print(workspace, &[&["-top"], options].concat(), profile)?;
    Table::parse(&text)
        .map_err(|fault| Error::Reader { place: format!("go tool pprof -top {}", options.join(" ")), fault })
}

/// What a person sees in `-top`.
pub(super) fn answer(workspace: &Workspace, profile: &Path) -> Result<Answer, Error> {
    let text = print(workspace, &["-top"], profile)?;
    let mut answer = Answer { text, ..Answer::default() };
    match Table::parse(&answer.text) {
        Ok(table) => {
            let row = |row: table::Row| Row { name: row.name, own: Some(row.own) };
            answer.rows = table.rows.into_iter().map(row).collect();
            answer.total = Some(table.total);
        }
        Err(fault) => answer.faults.push(fault),
    }
    answer.kind = answer.text.lines().find_map(|line| line.strip_prefix("Type: ")).map(str::to_owned);
    Ok(answer)
}

/// The stacks that `-traces` prints, each from the leaf on.
pub(super) fn stacks(traces: &str) -> impl Iterator<Item = Vec<&str>> {
    let blocks = traces.split("-----------+").skip(1);
    blocks.map(|block| {
        let lines = block.lines().skip(1).filter(|line| !line.trim().is_empty());
        // The first line has the figure before the name.
        let names = lines.enumerate().map(|(position, line)| match position {
            0 => line.trim_start().split_once(' ').map_or("", |(_, name)| name),
            _ => line,
        });
        names.map(|name| name.trim().trim_end_matches(" (inline)")).collect()
    })
}

/// Whether the functions of `order`, outermost first, stand on `stack`, which is innermost first.
pub(super) fn has_in_order(stack: &[&str], order: &[&str]) -> bool {
    let mut outwards = stack.iter();
    order.iter().rev().all(|part| outwards.any(|name| name.contains(part)))
}

/// The figure on the line of a listing that reads `source`, if there is one.
pub(super) fn figure_at<'a>(listing: &'a str, source: &str) -> Option<&'a str> {
    let line = listing.lines().find(|line| line.contains(source))?;
    line.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('B'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACES: &str = "\
File: demo
-----------+-------------------------------------------------------
    4.06kB   alloc::alloc::alloc (inline)
             demo::load
             demo::main
-----------+-------------------------------------------------------
     bytes:  2kB
       2kB   demo::main
-----------+-------------------------------------------------------
";

    #[test]
    fn stacks_are_read_from_the_leaf_on() {
        let stacks: Vec<_> = stacks(TRACES).collect();
        assert_eq!(stacks[0], ["alloc::alloc::alloc", "demo::load", "demo::main"]);
        assert!(has_in_order(&stacks[0], &["demo::main", "alloc::"]));
        assert!(!has_in_order(&stacks[0], &["alloc::", "demo::main"]));
        assert!(!has_in_order(&stacks[0], &["demo::main", "demo::main"]));
    }

    #[test]
    fn the_figure_of_a_line_is_found() {
        let listing = "  .  .  92:fn load() {\n  .  2MB  93:    vec![0; N]\n  .  .  94:    N\n";
        assert_eq!(figure_at(listing, "vec![0; N]"), Some("2MB"));
        assert_eq!(figure_at(listing, "fn load"), None);
        assert_eq!(figure_at(listing, "absent"), None);
    }
}
