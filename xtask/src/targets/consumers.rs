//! Groups that the consumers measure, over every provider.

use std::{process::Command, time::Duration};

use crate::{
    beside,
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
    /// How many consumers measure at a time.
    at_a_time: usize,
}

/// How exact profiles are.
pub(crate) const EXACTNESS: Group = Group::new("exactness", 30, 12 * 60, 1);
/// What kills profiled programs.
pub(crate) const SURVIVAL: Group = Group::new("survival", 30, 12 * 60, 2);

/// How long compiling a consumer may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);

impl Group {
    /// Limits in minutes.
    const fn new(name: &'static str, quick: u64, full: u64, at_a_time: usize) -> Self {
        let [quick, full] = [Duration::from_secs(quick * 60), Duration::from_secs(full * 60)];
        Self { name, quick, full, at_a_time }
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
        let is_asked = |name: &String| asked.over.is_empty() || asked.over.contains(name);
        let consumers: Vec<String> = consumers.into_iter().filter(is_asked).collect();
        consumers
            .iter()
            .try_for_each(|name| process::run(self.test(workspace, name).arg("--no-run"), BUILD))?;
        let rows = beside::each(self.at_a_time, &consumers, |name| self.measured(workspace, name, asked))?;
        consumers.iter().zip(&rows).for_each(|(name, rows)| table.add(name, rows));
        Ok(())
    }

    fn test(self, workspace: &Workspace, consumer: &str) -> Command {
        let cargo = ["test", "--quiet", "--release", "--locked", "--test", self.name];
        workspace.cargo_beside(&format!("consumers/{consumer}"), &cargo)
    }

    /// The rows of one consumer, measured in code as it is shipped.
    fn measured(self, workspace: &Workspace, name: &str, asked: &Asked) -> Result<Vec<Row>, Error> {
        println!("measuring over {name}");
        let mut command = self.test(workspace, name);
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) full: bool,
    /// None: all.
    pub(super) over: Vec<String>,
    /// None: all.
    pub(super) lines: Vec<String>,
}

impl Asked {
    /// Whether a line is among those that are asked for.
    pub(super) fn wants(&self, line: &str) -> bool {
        self.lines.is_empty() || self.lines.iter().any(|number| number == line)
    }

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
