//! Lines that are promises: each is looked at in its own way, and is one row.

use std::time::Instant;

use crate::{
    error::Error,
    targets::{
        line::Figure,
        row::{Row, Verdict},
        table::Table,
    },
    tool::Tool,
    workspace::Workspace,
};

/// By which name the rows are told.
const OURS: &str = "allometer";

/// A promise, and how it is looked at.
pub(super) struct Promise {
    pub(super) number: &'static str,
    pub(super) target: &'static str,
    pub(super) needs: &'static [Tool],
    /// Whether `--ci` selects it: it is no suite of tests that another step of CI runs.
    pub(super) ci: bool,
    pub(super) look: fn(&Workspace) -> Result<Figure, Error>,
}

/// What is asked for on the command line: `[--ci] [LINE ..]`.
#[derive(Debug, PartialEq, Eq)]
struct Selection<'a> {
    ci: bool,
    numbers: Vec<&'a str>,
}

impl<'a> Selection<'a> {
    fn read(promises: &[Promise], arguments: &'a [String]) -> Result<Self, Error> {
        let mut selection = Self { ci: false, numbers: Vec::new() };
        for word in arguments {
            match word.as_str() {
                "--ci" => selection.ci = true,
                number if promises.iter().any(|promise| promise.number == number) => {
                    selection.numbers.push(number)
                }
                unknown => {
                    return Err(Error::Usage(format!("no line of the group is called {unknown:?}")));
                }
            }
        }
        Ok(selection)
    }

    fn has(&self, promise: &Promise) -> bool {
        (self.numbers.is_empty() || self.numbers.contains(&promise.number)) && (promise.ci || !self.ci)
    }
}

/// Looks at all of them, or at those that the arguments name.
pub(super) fn table(
    promises: &[Promise],
    workspace: &Workspace,
    arguments: &[String],
) -> Result<Table, Error> {
    let selection = Selection::read(promises, arguments)?;
    let mut rows = Vec::new();
    for promise in promises.iter().filter(|promise| selection.has(promise)) {
        let started = Instant::now();
        rows.push(promise.row(workspace)?);
        println!("{}: {:.1} s", promise.number, started.elapsed().as_secs_f64());
    }
    let mut table = Table::default();
    table.add(OURS, &rows);
    Ok(table)
}

impl Promise {
    fn row(&self, workspace: &Workspace) -> Result<Row, Error> {
        let Figure { verdict, measured } = match self.missing()? {
            Some(tool) => Figure::not_run(&Error::Missing(tool).to_string()),
            None => match (self.look)(workspace) {
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => Figure { verdict: Verdict::Short, measured: error.to_string() },
                Ok(figure) => figure,
            },
        };
        let (number, target) = (self.number.to_owned(), self.target.to_owned());
        Ok(Row { number, target, verdict, measured, same: String::new() })
    }

    /// The first program that it needs and that is not to be had.
    fn missing(&self) -> Result<Option<Tool>, Error> {
        for &tool in self.needs {
            if !tool.ensure()? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The numbers that are selected.
    pub(in crate::targets) fn numbers(
        promises: &[Promise],
        arguments: &[&str],
    ) -> Result<Vec<&'static str>, Error> {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let selection = Selection::read(promises, &arguments)?;
        Ok(promises.iter().filter(|promise| selection.has(promise)).map(|promise| promise.number).collect())
    }

    /// Whether CI has what its promises need.
    pub(in crate::targets) fn ci_has_what_it_needs(promises: &[Promise], needed: &[Tool]) {
        for promise in promises.iter().filter(|promise| promise.ci) {
            let is_there = |tool: &Tool| needed.iter().any(|needed| needed.program == tool.program);
            assert!(promise.needs.iter().all(is_there), "{}", promise.number);
        }
    }

    #[test]
    fn numbers_and_ci_select() {
        let promise =
            |number, ci| Promise { number, target: "", needs: &[], ci, look: |_| Ok(Figure::not_run("")) };
        let promises = [promise("A1", false), promise("A2", true)];
        assert_eq!(numbers(&promises, &[]).unwrap(), ["A1", "A2"]);
        assert_eq!(numbers(&promises, &["--ci"]).unwrap(), ["A2"]);
        assert_eq!(numbers(&promises, &["A1", "A2"]).unwrap(), ["A1", "A2"]);
        assert_eq!(numbers(&promises, &["A1", "A2", "--ci"]).unwrap(), ["A2"]);
        assert!(matches!(numbers(&promises, &["A3"]), Err(Error::Usage(_))));
    }
}
