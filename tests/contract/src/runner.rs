//! The suite as a test program.

use std::{
    env,
    process::{Command, exit},
};

use allometer_core::SamplingAllocator;
use allometer_provider::Provider;
use libtest_mimic::{Arguments, Failed, Trial};

use crate::{Check, Subject, checks, process};

/// Names the one check that a process is to run; without it the process runs the suite.
const CHECK: &str = "ALLOMETER_CONTRACT_CHECK";

/// Runs the suite over the program's global allocator, whose provider must be called `name`.
///
/// It is the whole `main` of a test without the standard harness, takes libtest's command line, and ends
/// the process.
pub fn run<A: Provider>(allocator: &'static SamplingAllocator<A>, name: &'static str) -> ! {
    run_with(allocator, name, &[])
}

/// The suite as in [`run`], followed by checks that only this provider can have.
pub fn run_with<A: Provider>(
    allocator: &'static SamplingAllocator<A>,
    name: &'static str,
    extra: &[Check],
) -> ! {
    let subject = Subject::new(allocator, name);
    let suite = || checks::all().chain(extra.iter().copied());
    match env::var(CHECK) {
        Ok(wanted) => {
            let check = suite().find(|check| check.name == wanted).expect("a check of this suite");
            (check.run)(&subject);
            exit(0)
        }
        Err(_) => {
            let trials = suite().map(|check| Trial::test(check.name, move || in_own_process(check)));
            libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit()
        }
    }
}

fn in_own_process(check: Check) -> Result<(), Failed> {
    let mut command = Command::new(env::current_exe()?);
    command.env(CHECK, check.name);
    process::output(command, check.limit).map(drop).map_err(Failed::from)
}
