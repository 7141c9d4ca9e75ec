//! How exact profiles are: measured by the consumers, over every provider.

use std::{process::Command, time::Duration};

use crate::{
    error::Error,
    process,
    targets::{row::Row, table::Table},
    workspace::Workspace,
};

/// The group, and the test of a consumer that measures it.
pub(crate) const EXACTNESS: &str = "exactness";

/// How long compiling a consumer may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);
/// How long a consumer may measure. The lines have limits of their own; this is behind them.
const QUICK: Duration = Duration::from_secs(30 * 60);
const FULL: Duration = Duration::from_secs(12 * 3600);

/// Measures the group: `[--full] [LINE ..]`, the quick form and all lines unless told otherwise.
pub(super) fn table(workspace: &Workspace, arguments: &[String]) -> Result<Table, Error> {
    if let Some(unknown) = arguments.iter().find(|word| word.starts_with('-') && *word != "--full") {
        return Err(Error::Usage(format!("no option of the targets is called {unknown:?}")));
    }
    let mut table = Table::default();
    for name in consumers(workspace)? {
        table.add(&name, &measured(workspace, &name, arguments)?);
    }
    Ok(table)
}

/// Whether the consumer at `member` measures.
pub(crate) fn is_measured(workspace: &Workspace, member: &str) -> bool {
    workspace.path(member).join(format!("tests/{EXACTNESS}.rs")).is_file()
}

fn consumers(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let mut names = workspace.consumers()?;
    names.retain(|name| is_measured(workspace, &format!("consumers/{name}")));
    Ok(names)
}

/// The rows of one consumer, measured in code as it is shipped.
fn measured(workspace: &Workspace, name: &str, arguments: &[String]) -> Result<Vec<Row>, Error> {
    let member = format!("consumers/{name}");
    let test = || {
        let cargo = ["test", "--quiet", "--release", "--locked", "--test", EXACTNESS];
        workspace.cargo_beside(&member, &cargo)
    };
    process::run(test().arg("--no-run"), BUILD)?;
    println!("measuring over {name}");
    let mut command: Command = test();
    command.arg("--").args(arguments);
    let limit = if arguments.iter().any(|argument| argument == "--full") { FULL } else { QUICK };
    let output = process::output(&mut command, limit)?;
    let rows: Vec<Row> = output.stdout.lines().filter_map(Row::read).collect();
    // It fails when a line is short, which its row says; without rows it has failed itself.
    if rows.is_empty() {
        let command = format!("{EXACTNESS} over {name}");
        return Err(Error::Failed { command, status: output.status, stderr: output.stderr });
    }
    Ok(rows)
}
