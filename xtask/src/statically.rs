//! The contract over `System` in programs that are linked statically: without a loader, and at addresses of its choice
//! or fixed ones.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use object::Object;

use crate::{beside, error::Error, executable, process, workspace::Workspace};

const CONSUMER: &str = "consumers/system";
const CONTRACT: &str = "contract";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
/// How long the checks of one build may take.
const CHECKS: Duration = Duration::from_secs(10 * 60);

/// A way to link the contract.
struct Build {
    name: &'static str,
    /// What everything is compiled with. Without it, everything is what the consumer's own tests consist of.
    flags: Option<&'static str>,
    /// What only the program itself is compiled with, and linked.
    last: &'static [&'static str],
}

const BUILDS: [Build; 2] = [
    // Code is the same as in a program with a loader.
    Build { name: "static-pie", flags: None, last: &["-Ctarget-feature=+crt-static"] },
    // Code differs: it knows where it is.
    Build {
        name: "static",
        flags: Some("-Ctarget-feature=+crt-static -Crelocation-model=static"),
        last: &[],
    },
];

/// Runs the contract in each build.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let host = workspace.host()?;
    // The checks of one wait for much of their time, in which the other is compiled.
    let builds = beside::each(BUILDS.len(), &BUILDS, |build| {
        println!("\n{}: {}{}", build.name, build.flags.unwrap_or_default(), build.last.concat());
        let program = build.program(workspace, &host)?;
        if has_loader(&program)? {
            return Err(Error::NotUnderstood { path: program, what: "a program without a loader" });
        }
        let mut command = Command::new(program);
        process::run(command.current_dir(workspace.path(CONSUMER)), CHECKS)
    });
    builds.map(drop)
}

/// Whether a program asks for a loader: then it is not what is to be checked.
fn has_loader(program: &Path) -> Result<bool, Error> {
    let path = || program.to_owned();
    let bytes = fs::read(program).map_err(|source| Error::Read { path: path(), source })?;
    let object = object::File::parse(&*bytes).map_err(|source| Error::Object { path: path(), source })?;
    Ok(object.section_by_name(".interp").is_some())
}

impl Build {
    fn program(&self, workspace: &Workspace, target: &str) -> Result<PathBuf, Error> {
        let cargo = || {
            let arguments = ["rustc", "--locked", "--release", "--test", CONTRACT];
            let mut command = workspace.cargo_beside(CONSUMER, &arguments);
            if let Some(flags) = self.flags {
                // A target is named so that build scripts and macros, which run on the way, are those of the consumers.
                command.args(["--target", target]).env("RUSTFLAGS", flags);
                // How well it is optimized is of no matter to where things are, and it is compiled anew.
                command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
            }
            command
        };
        executable::build(cargo, CONTRACT, self.last, BUILD)
    }
}
