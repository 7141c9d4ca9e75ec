//! A test program that starts itself again for each scenario: a session is one for a whole process, and some scenarios
//! end theirs.

use std::{env, path::Path, process::Command, time::Duration};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::output;

/// How long a process may take: far more than it does, so that only a hang is ended by it.
const LIMIT: Duration = Duration::from_secs(120);
/// Name the scenario that a process is, and its directory.
const SCENARIO: &str = "ALLOMETER_SCENARIO";
const DIRECTORY: &str = "ALLOMETER_SCENARIO_DIRECTORY";

/// Something that a program does in a process of its own.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// By which it is told, as a test.
    pub name: &'static str,
    /// What the process does, with a directory that is there, empty, and its own.
    pub run: fn(&Path),
    /// What must have come of it: how the process ended, and the directory.
    pub check: fn(Result<String, String>, &Path),
}

/// One whose process fails where something is wrong.
pub const fn scenario(name: &'static str, run: fn(&Path)) -> Scenario {
    Scenario { name, run, check: |end, _| assert!(end.is_ok(), "{}", end.unwrap_err()) }
}

impl Scenario {
    /// The command for a process that is the scenario of this name, in a directory.
    pub fn command(name: &str, directory: &Path) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command.env(SCENARIO, name).env(DIRECTORY, directory);
        command
    }

    /// The name of the scenario that this process is, if it is one.
    pub(crate) fn wanted() -> Option<String> {
        env::var(SCENARIO).ok()
    }

    fn in_own_process(&self) -> Result<(), Failed> {
        let directory = tempfile::tempdir()?;
        let command = Self::command(self.name, directory.path());
        (self.check)(output(command, LIMIT), directory.path());
        Ok(())
    }
}

/// The whole `main`: the tests, or the scenario that this process is.
pub fn run_scenarios(scenarios: &'static [Scenario]) {
    run_scenarios_with(scenarios, &[]);
}

/// The same where scenarios start others, which are no tests.
pub fn run_scenarios_with(scenarios: &'static [Scenario], children: &'static [Scenario]) {
    if let Some(wanted) = Scenario::wanted() {
        let scenario = scenarios.iter().chain(children).find(|scenario| scenario.name == wanted).unwrap();
        return (scenario.run)(Path::new(&env::var_os(DIRECTORY).unwrap()));
    }
    let trials = scenarios.iter().map(|scenario| Trial::test(scenario.name, || scenario.in_own_process()));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit()
}
