//! One step of the checks, and running a list of them.

use std::{
    env, fmt,
    io::{self, Write},
    time::Instant,
};

use crate::{
    error::Error,
    tool::{self, Tool},
    workspace::Workspace,
};

type Action = Box<dyn Fn(&Workspace) -> Result<(), Error>>;

/// One thing that a change has to pass.
pub(crate) struct Step {
    pub(crate) name: String,
    /// Programs without which it cannot run.
    needs: &'static [Tool],
    /// Programs without which it does less.
    wants: &'static [Tool],
    /// One of those that it needs that is not there: the step is to be skipped.
    missing: Option<Tool>,
    action: Action,
}

impl Step {
    /// A step that needs nothing but Rust.
    pub(crate) fn new(
        name: impl Into<String>,
        action: impl Fn(&Workspace) -> Result<(), Error> + 'static,
    ) -> Self {
        Self { name: name.into(), needs: &[], wants: &[], missing: None, action: Box::new(action) }
    }

    /// The same, skipped where one of these tools is missing and cannot be installed.
    pub(crate) fn needing(self, needs: &'static [Tool]) -> Self {
        Self { needs, ..self }
    }

    /// The same, with these tools where they can be installed. Where one cannot, the step leaves out by itself what that is
    /// for, or fails where it counts.
    pub(crate) fn wanting(self, wants: &'static [Tool]) -> Self {
        Self { wants, ..self }
    }
}

/// How many steps ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// Runs the steps in order up to the first that fails; the tally is the last line printed.
///
/// Where the environment says `CI=true` a skipped step is a failure: a check that nobody ran must not
/// look like one that passed.
pub(crate) fn run_all(workspace: &Workspace, mut steps: Vec<Step>) -> Result<(), Error> {
    install_tools(&mut steps)?;
    let strict = env::var("CI").is_ok_and(|value| value == "true" || value == "1");
    let (tally, result) = run_in_order(workspace, &steps, strict);
    println!("{tally}");
    result
}

/// Before anything runs, so that an hour's work does not end at a package that cannot be had.
fn install_tools(steps: &mut [Step]) -> Result<(), Error> {
    let asked_for = |step: &Step| [step.needs, step.wants].concat();
    tool::ensure_all(&steps.iter().flat_map(asked_for).collect::<Vec<Tool>>())?;
    for step in steps {
        step.missing = step.needs.iter().copied().find(|tool| !tool::is_on_path(tool.program));
    }
    Ok(())
}

fn run_in_order(workspace: &Workspace, steps: &[Step], strict: bool) -> (Tally, Result<(), Error>) {
    let mut tally = Tally::default();
    for (index, step) in steps.iter().enumerate() {
        println!("\n=== {} ({} of {})", step.name, index + 1, steps.len());
        // Children write to the same output, unbuffered by this program.
        let _ = io::stdout().flush();
        let started = Instant::now();
        let result = match step.missing {
            None => (step.action)(workspace),
            Some(tool) if strict => Err(Error::Missing(tool)),
            Some(tool) => {
                println!("=== {}: skipped, {}", step.name, Error::Missing(tool));
                tally.skipped += 1;
                continue;
            }
        };
        let seconds = started.elapsed().as_secs_f64();
        match result {
            Ok(()) => {
                println!("=== {}: passed in {seconds:.1} s", step.name);
                tally.passed += 1;
            }
            Err(error) => {
                println!("=== {}: FAILED after {seconds:.1} s: {error}", step.name);
                let rest: Vec<&str> = steps[index + 1..].iter().map(|step| step.name.as_str()).collect();
                if !rest.is_empty() {
                    println!("not run: {}", rest.join(", "));
                }
                tally.failed += 1;
                return (tally, Err(Error::StepFailed));
            }
        }
    }
    (tally, Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passing(name: &str) -> Step {
        Step::new(name, |_| Ok(()))
    }

    fn without_its_tool(step: Step) -> Step {
        Step { missing: Some(crate::tool::GO), ..step }
    }

    fn failing(name: &str) -> Step {
        Step::new(name, |_| Err(Error::Interrupted))
    }

    #[test]
    fn the_tally_is_one_plain_line() {
        let tally = Tally { passed: 3, failed: 0, skipped: 1 };
        assert_eq!(tally.to_string(), "3 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let steps = [passing("a"), failing("b"), passing("c")];
        let (tally, result) = run_in_order(&Workspace::of_this_program(), &steps, false);
        assert_eq!(tally, Tally { passed: 1, failed: 1, skipped: 0 });
        assert!(result.is_err());
    }

    #[test]
    fn a_step_without_its_tool_is_skipped_and_the_next_one_runs() {
        let steps = [without_its_tool(failing("a")), passing("b")];
        let (tally, result) = run_in_order(&Workspace::of_this_program(), &steps, false);
        assert_eq!(tally, Tally { passed: 1, failed: 0, skipped: 1 });
        assert!(result.is_ok());
    }

    #[test]
    fn where_it_counts_a_missing_tool_is_a_failure() {
        let steps = [without_its_tool(passing("a"))];
        let (tally, result) = run_in_order(&Workspace::of_this_program(), &steps, true);
        assert_eq!(tally, Tally { passed: 0, failed: 1, skipped: 0 });
        assert!(result.is_err());
    }
}
