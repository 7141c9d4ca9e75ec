//! Groups that the consumers measure, over every provider.

use std::{process::Command, time::Duration};

use crate::{
    error::Error,
    process,
    targets::{row::Row, table::Table},
    workspace::Workspace,
};

/// A group, and the test of a consumer that measures it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Its name, and the test's.
    pub(crate) name: &'static str,
    /// How long a consumer may measure. The lines have limits of their own; this is behind them.
    quick: Duration,
    full: Duration,
}

/// How exact profiles are.
pub(crate) const EXACTNESS: Group = Group::new("exactness", 30, 12 * 60);
/// What kills profiled programs.
pub(crate) const SURVIVAL: Group = Group::new("survival", 30, 12 * 60);

/// How long compiling a consumer may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);

impl Group {
    /// Limits in minutes.
    const fn new(name: &'static str, quick: u64, full: u64) -> Self {
        Self { name, quick: Duration::from_secs(quick * 60), full: Duration::from_secs(full * 60) }
    }

    /// Whether the consumer at `member` measures it.
    pub(crate) fn is_measured(self, workspace: &Workspace, member: &str) -> bool {
        workspace.path(member).join(format!("tests/{}.rs", self.name)).is_file()
    }

    fn consumers(self, workspace: &Workspace) -> Result<Vec<String>, Error> {
        let mut names = workspace.consumers()?;
        names.retain(|name| self.is_measured(workspace, &format!("consumers/{name}")));
        Ok(names)
    }

    /// Adds what the consumers that the arguments select measure, of the lines that they select.
    pub(super) fn add_to(self, table: &mut Table, workspace: &Workspace, asked: &Asked) -> Result<(), Error> {
        let consumers = self.consumers(workspace)?;
        if let Some(unknown) = asked.over.iter().find(|name| !consumers.contains(name)) {
            let known = consumers.join(", ");
            return Err(Error::Usage(format!(
                "no consumer of the group is called {unknown:?}: there are {known}"
            )));
        }
        for name in consumers {
            if asked.over.is_empty() || asked.over.contains(&name) {
                table.add(&name, &self.measured(workspace, &name, asked)?);
            }
        }
        Ok(())
    }

    /// The rows of one consumer, measured in code as it is shipped.
    fn measured(self, workspace: &Workspace, name: &str, asked: &Asked) -> Result<Vec<Row>, Error> {
        let member = format!("consumers/{name}");
        let test = || {
            let cargo = ["test", "--quiet", "--release", "--locked", "--test", self.name];
            workspace.cargo_beside(&member, &cargo)
        };
        process::run(test().arg("--no-run"), BUILD)?;
        println!("measuring over {name}");
        let mut command: Command = test();
        command.arg("--").args(&asked.lines);
        if asked.full {
            command.arg("--full");
        }
        let output = process::output(&mut command, if asked.full { self.full } else { self.quick })?;
        let rows: Vec<Row> = output.stdout.lines().filter_map(Row::read).collect();
        // It fails when a line is short, which its row says; without rows it has failed itself.
        if rows.is_empty() {
            let command = format!("{} over {name}", self.name);
            return Err(Error::Failed { command, status: output.status, stderr: output.stderr });
        }
        // Of a line that is short it says more: what hung, and where.
        eprint!("{}", output.stderr);
        Ok(rows)
    }
}

/// What is asked for on the command line: `[--full] [--over=CONSUMER ..] [LINE ..]`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) full: bool,
    over: Vec<String>,
    /// None: all.
    pub(super) lines: Vec<String>,
}

impl Asked {
    /// Reads the arguments.
    pub(super) fn read(arguments: &[String]) -> Result<Self, Error> {
        let mut asked = Self::default();
        for word in arguments {
            if word == "--full" {
                asked.full = true;
            } else if let Some(consumer) = word.strip_prefix("--over=") {
                asked.over.push(consumer.to_owned());
            } else if word.starts_with('-') {
                return Err(Error::Usage(format!("no option of the group is called {word:?}")));
            } else {
                asked.lines.push(word.clone());
            }
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_lines_consumers_and_a_form() {
        let read =
            |words: &[&str]| Asked::read(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        let asked = read(&["S1", "--full", "--over=system", "S9"]).unwrap();
        assert_eq!(asked.lines, ["S1", "S9"]);
        assert!(asked.full && asked.over == ["system"]);
        assert!(read(&["--fast"]).unwrap_err().to_string().contains("--fast"));
    }
}
