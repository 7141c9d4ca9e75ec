//! Tests of this repository that a line stands for: run by name, and counted.

use std::{path::PathBuf, process::Command, time::Duration};

use crate::{
    error::Error,
    process::{self, Output},
    targets::line::Figure,
    tool,
    workspace::Workspace,
};

/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);
/// How long tests may take once they are compiled: a hang has to be seen from outside.
const RUN: Duration = Duration::from_secs(10 * 60);

/// Tests of a package, or of a workspace beside the root.
#[derive(Clone, Copy)]
pub(super) struct Suite {
    /// What cargo is told after `test`.
    pub(super) cargo: &'static [&'static str],
    /// The workspace that they are in; none for the root.
    pub(super) beside: Option<&'static str>,
    /// What is there if they are, below the root.
    pub(super) path: &'static str,
    /// What is said to the tests' own program: names of tests, or of groups of them.
    pub(super) only: &'static [&'static str],
    /// Names, or parts of them, of tests that have to be among those that passed.
    pub(super) has: &'static [&'static str],
}

impl Suite {
    /// Runs them. The figure is how many passed; not run if they are not there.
    pub(super) fn run(&self, workspace: &Workspace) -> Result<Figure, Error> {
        self.run_with(workspace, &[])
    }

    /// The same, with this in the environment of cargo and of the tests.
    pub(super) fn run_with(
        &self,
        workspace: &Workspace,
        environment: &[(&str, PathBuf)],
    ) -> Result<Figure, Error> {
        if !workspace.path(self.path).exists() {
            return Ok(Figure::not_run(&format!("there is no {}", self.path)));
        }
        let environment = || environment.iter().map(|(name, value)| (*name, value));
        process::run(self.command(workspace).envs(environment()).arg("--no-run"), BUILD)?;
        let mut command = self.command(workspace);
        command.envs(environment()).arg("--").args(self.only);
        let output = process::output(&mut command, RUN)?;
        Ok(self.figure(&output, output.status.success()))
    }

    /// The same, if there is nothing that its tests cannot do here: some leave out what only root can.
    pub(super) fn run_as_root(&self, workspace: &Workspace) -> Result<Figure, Error> {
        match tool::is_root() {
            true => self.run(workspace),
            false => Ok(Figure::not_run("its tests leave out what only root can")),
        }
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let words = ["test", "--locked"];
        let mut command = match self.beside {
            None => workspace.cargo(&words),
            Some(member) => {
                let mut command = workspace.cargo_beside(member, &words);
                command.arg("--release");
                command
            }
        };
        // Every binary of tests says what it has, whatever the one before it found.
        command.args(self.cargo).arg("--no-fail-fast").env_remove("GOLDEN");
        // A test that cannot do its work here has to fail.
        command.env("CI", "true");
        command
    }

    fn figure(&self, output: &Output, is_success: bool) -> Figure {
        let tests = Tests::read(&output.stdout);
        let missing = self.has.iter().find(|name| !tests.passed.iter().any(|test| test.contains(*name)));
        let measured = match (tests.failed.first(), missing) {
            (Some(test), _) => format!("{} of {} failed: {test}", tests.failed.len(), tests.all()),
            (None, Some(name)) => format!("{} passed, and {name} is not among them", tests.all()),
            (None, None) if !is_success => {
                let last =
                    output.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
                format!("{} passed, and it ended with {}: {last}", tests.all(), output.status)
            }
            (None, None) => format!("{} of {} tests passed", tests.passed.len(), tests.all()),
        };
        Figure::of(is_success && missing.is_none() && tests.are_good(), measured)
    }
}

/// What programs of tests said of each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tests {
    passed: Vec<String>,
    failed: Vec<String>,
}

impl Tests {
    /// Reads the lines `test NAME ... ok`. What a test prints may stand between its name and what became of it.
    fn read(text: &str) -> Self {
        let mut tests = Self::default();
        for line in text.lines() {
            let Some((name, end)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
            else {
                continue;
            };
            let to = match end.trim() {
                "ok" => &mut tests.passed,
                "FAILED" | "failed" => &mut tests.failed,
                _ => continue,
            };
            to.push(name.trim().to_owned());
        }
        tests
    }

    fn all(&self) -> usize {
        self.passed.len() + self.failed.len()
    }

    fn are_good(&self) -> bool {
        self.failed.is_empty() && !self.passed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

    const SUITE: Suite = Suite { cargo: &[], beside: None, path: "", only: &[], has: &["of_a_thing"] };

    fn said(stdout: &str, code: i32) -> Figure {
        let (stdout, stderr) = (stdout.to_owned(), "error: 1 target failed\n\n".to_owned());
        let output = Output { status: ExitStatus::from_raw(code << 8), stdout, stderr };
        SUITE.figure(&output, code == 0)
    }

    fn is_ok(figure: &Figure) -> bool {
        figure.verdict == crate::targets::row::Verdict::Ok
    }

    #[test]
    fn tests_are_counted_and_have_to_be_there() {
        let good = said("running 2 tests\ntest a::top_of_a_thing ... ok\ntest b    ... ok\n", 0);
        assert_eq!((is_ok(&good), &*good.measured), (true, "2 of 2 tests passed"));
        let absent = said("test b ... ok\n", 0);
        assert!(!is_ok(&absent) && absent.measured.contains("of_a_thing is not among them"));
        assert!(!is_ok(&said("", 0)));
    }

    #[test]
    fn one_that_failed_is_named() {
        let bad = said("test a::of_a_thing ... ok\ntest b ... FAILED\n", 101);
        assert_eq!((is_ok(&bad), &*bad.measured), (false, "1 of 2 failed: b"));
        let crashed = said("test a::of_a_thing ... ok\n", 101);
        assert!(
            !is_ok(&crashed) && crashed.measured.ends_with("error: 1 target failed"),
            "{}",
            crashed.measured
        );
    }
}
