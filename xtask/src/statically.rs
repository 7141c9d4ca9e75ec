//! The contract over `System` in programs that are linked statically: without a loader, and at addresses of its choice
//! or fixed ones.

use std::time::Duration;

use crate::{beside, error::Error, process, workspace::Workspace};

const CONSUMER: &str = "consumers/system";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
/// How long the checks of one build may take. Each has a limit of its own.
const CHECKS: Duration = Duration::from_secs(10 * 60);

/// The name of a build's directory, and its flags.
const BUILDS: [(&str, &str); 2] = [
    ("static-pie", "-Ctarget-feature=+crt-static"),
    ("static", "-Ctarget-feature=+crt-static -Crelocation-model=static"),
];

/// Runs the contract in each build.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let host = process::read(workspace.command("rustc").args(["--print", "host-tuple"]), CHECKS)?;
    // The checks of one wait for much of their time, in which the other is compiled.
    let builds = beside::each(BUILDS.len(), &BUILDS, |(name, flags)| {
        // A target is named so that build scripts and macros, which run on the way, are built as ever.
        let arguments = ["test", "--locked", "--release", "--test", "contract", "--target", host.trim()];
        let cargo = || {
            let mut command = workspace.cargo_beside(CONSUMER, &arguments);
            command.env("CARGO_TARGET_DIR", workspace.target().join(name)).env("RUSTFLAGS", flags);
            // How well it is optimized is of no matter to where things are, and it is compiled anew for each build.
            command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
            command
        };
        println!("\n{name}: {flags}");
        process::run(cargo().arg("--no-run"), BUILD)?;
        process::run(&mut cargo(), CHECKS)
    });
    builds.map(drop)
}
