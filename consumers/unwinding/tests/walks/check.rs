//! A check, and a process of its own for it.

use std::{
    env,
    process::{Command, exit},
    time::Duration,
};

use libtest_mimic::{Arguments, Failed, Trial};

/// One thing that must hold. It fails by a panic, by any other end of its process, or by not returning.
#[derive(Clone, Copy)]
pub struct Check {
    /// What holds, as the name of a test.
    pub name: &'static str,
    /// Tries it.
    pub run: fn(),
}

/// Names the one check that a process is to run; without it the process runs all.
const CHECK: &str = "ALLOMETER_UNWINDING_CHECK";
/// Generous: it tells a hang from slow work, on any machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs the checks by libtest's command line, and ends the process.
pub fn run(checks: &[Check]) -> ! {
    if let Ok(wanted) = env::var(CHECK) {
        let check = checks.iter().find(|check| check.name == wanted).expect("a check of this program");
        (check.run)();
        exit(0)
    }
    let trials = checks.iter().map(|check| {
        let name = check.name;
        Trial::test(name, move || in_own_process(name))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit()
}

fn in_own_process(check: &str) -> Result<(), Failed> {
    let mut command = Command::new(env::current_exe()?);
    command.env(CHECK, check);
    allometer_contract::output(command, LIMIT).map(drop).map_err(Failed::from)
}
