//! The readers, and what they are looked at with.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{
    error::Error,
    process,
    tool::{self, GO, Source, Tool},
    workspace::Workspace,
};

/// Where the scripts are, and which packages they need.
const SCRIPTS: &str = "xtask/readers";
const INSTALL: Duration = Duration::from_secs(10 * 60);

const CHROMIUM: Tool = Tool { program: "chromium", package: "chromium", source: Source::Debian };
/// Draws the graph of `go tool pprof -http`.
const GRAPHVIZ: Tool = Tool { program: "dot", package: "graphviz", source: Source::Debian };
const NPM: Tool = Tool { program: "npm", package: "npm", source: Source::Debian };
const PYTHON: Tool = Tool { program: "python3", package: "python3-venv", source: Source::Debian };

/// What the group cannot do without.
pub(crate) const READERS: &[Tool] = &[GO, CHROMIUM, GRAPHVIZ, NPM, PYTHON];

/// The readers' packages and the scripts beside them, in a directory of their own.
pub(super) struct Tools {
    directory: PathBuf,
    chromium: PathBuf,
}

impl Tools {
    /// Installs what is not there yet: at the versions that the scripts' directory names.
    pub(super) fn install(workspace: &Workspace) -> Result<Self, Error> {
        for &tool in READERS {
            if !tool.ensure()? {
                return Err(Error::Missing(tool));
            }
        }
        let directory = workspace.target().join("readers/tools");
        let tools =
            Self { chromium: tool::path(CHROMIUM.program).ok_or(Error::Missing(CHROMIUM))?, directory };
        copy(&workspace.path(SCRIPTS), &tools.directory)?;
        tools.unless_done("package.json", |tools| {
            let mut npm = tools.command("npm");
            npm.args(["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]);
            process::run(&mut npm, INSTALL)
        })?;
        tools.unless_done("requirements.txt", |tools| {
            process::run(tools.command("python3").args(["-m", "venv", "python"]), INSTALL)?;
            let mut pip = tools.command("python/bin/python");
            pip.args(["-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"]);
            process::run(&mut pip, INSTALL)
        })?;
        Ok(tools)
    }

    /// A script, for the interpreter that its name tells.
    pub(super) fn script(&self, name: &str) -> Command {
        let mut command = match name.ends_with(".py") {
            true => Command::new(self.directory.join("python/bin/python")),
            false => Command::new("node"),
        };
        command.arg(self.directory.join(name)).env("CHROMIUM", &self.chromium);
        command
    }

    fn command(&self, program: &str) -> Command {
        let beside = self.directory.join(program);
        let mut command = if beside.is_file() { Command::new(beside) } else { Command::new(program) };
        command.current_dir(&self.directory);
        command
    }

    /// Runs `install` unless it has succeeded for the same `manifest`.
    fn unless_done(&self, manifest: &str, install: impl Fn(&Self) -> Result<(), Error>) -> Result<(), Error> {
        let [wanted, done] =
            [manifest.to_owned(), format!("{manifest}.installed")].map(|name| self.directory.join(name));
        let text = fs::read(&wanted).map_err(|source| Error::Read { path: wanted, source })?;
        if fs::read(&done).is_ok_and(|installed| installed == text) {
            return Ok(());
        }
        install(self)?;
        fs::write(&done, text).map_err(|source| Error::Write { path: done, source })
    }
}

/// Copies the files of a directory: packages are found from where a script is.
fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let copied = fs::create_dir_all(to).and_then(|()| {
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
        Ok(())
    });
    copied.map_err(|source| Error::Write { path: to.to_owned(), source })
}
