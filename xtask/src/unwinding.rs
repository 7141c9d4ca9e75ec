//! All ways to walk a stack, held against each other in the builds that programs are shipped as.

use std::{process::Command, time::Duration};

use crate::{beside, error::Error, process, workspace::Workspace};

const CONSUMER: &str = "consumers/unwinding";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
/// How long the checks of one build may take. Each has a limit of its own.
const CHECKS: Duration = Duration::from_secs(5 * 60);

/// A build of other flags than those of the consumers.
struct Build {
    name: &'static str,
    flags: &'static str,
    /// With it the compiler makes unwind tables for all code, whatever it is told.
    debug: &'static str,
}

const BUILDS: [Build; 2] = [
    Build { name: "frame-pointers", flags: "-Cforce-frame-pointers=yes", debug: "line-tables-only" },
    Build {
        name: "no-tables",
        flags: "-Cforce-frame-pointers=yes -Cpanic=abort -Cforce-unwind-tables=no",
        debug: "none",
    },
];

/// Runs the checks of the consumer with frame pointers, and without unwind tables. As it is shipped they are its own tests.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let host = workspace.host()?;
    // The checks of one wait for much of their time, in which the other is compiled.
    let builds = beside::each(BUILDS.len(), &BUILDS, |build| {
        println!("\n{}: {}", build.name, build.flags);
        run(|| build.cargo(workspace, &host))
    });
    builds.map(drop)
}

impl Build {
    /// A target is named so that build scripts and macros, which run on the way, are those of the consumers.
    fn cargo(&self, workspace: &Workspace, target: &str) -> Command {
        let arguments = ["test", "--locked", "--release", "--target", target];
        let mut command = workspace.cargo_beside(CONSUMER, &arguments);
        command.env("RUSTFLAGS", self.flags).env("CARGO_PROFILE_RELEASE_DEBUG", self.debug);
        command
    }
}

fn run(cargo: impl Fn() -> Command) -> Result<(), Error> {
    process::run(cargo().arg("--no-run"), BUILD)?;
    process::run(&mut cargo(), CHECKS)
}
