//! Scripts that look at what people look at: in a browser, or with packages for node and Python. Those of `xtask/readers`,
//! `xtask/views` share the packages, which are installed once.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde::de::DeserializeOwned;

use crate::{
    error::Error,
    process,
    tool::{self, Source, Tool},
    workspace::Workspace,
};

/// Where the scripts are. The first one names the packages.
const SCRIPTS: [&str; 3] = ["readers", "views", "serve"];
const INSTALL: Duration = Duration::from_secs(10 * 60);
const DEADLINE: Duration = Duration::from_secs(5 * 60);

pub(crate) const CHROMIUM: Tool = Tool { program: "chromium", package: "chromium", source: Source::Debian };
pub(crate) const NPM: Tool = Tool { program: "npm", package: "npm", source: Source::Debian };
pub(crate) const PYTHON: Tool = Tool { program: "python3", package: "python3-venv", source: Source::Debian };

/// The scripts and their packages, in a directory of their own.
pub(super) struct Scripts {
    directory: PathBuf,
    chromium: PathBuf,
}

impl Scripts {
    /// Installs what is not there yet: `tools`, and the packages at the versions that the scripts' directory names.
    pub(super) fn install(workspace: &Workspace, tools: &[Tool]) -> Result<Self, Error> {
        for &tool in tools.iter().chain(&[CHROMIUM, NPM, PYTHON]) {
            if !tool.ensure()? {
                return Err(Error::Missing(tool));
            }
        }
        let directory = workspace.target().join("scripts");
        let scripts =
            Self { chromium: tool::path(CHROMIUM.program).ok_or(Error::Missing(CHROMIUM))?, directory };
        for name in SCRIPTS {
            copy(&workspace.path("xtask").join(name), &scripts.directory.join(name))?;
        }
        scripts.unless_done("package.json", |scripts| {
            let mut npm = scripts.command("npm");
            npm.args(["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]);
            process::run(&mut npm, INSTALL)
        })?;
        scripts.unless_done("requirements.txt", |scripts| {
            process::run(scripts.command("python3").args(["-m", "venv", "python"]), INSTALL)?;
            let mut pip = scripts.command("python/bin/python");
            pip.args(["-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"]);
            process::run(&mut pip, INSTALL)
        })?;
        Ok(scripts)
    }

    /// A script, such as `views/page.mjs`, for the interpreter that its name tells.
    pub(super) fn script(&self, name: &str) -> Command {
        let mut command = match name.ends_with(".py") {
            true => Command::new(self.packages().join("python/bin/python")),
            false => Command::new("node"),
        };
        command.arg(self.directory.join(name)).env("CHROMIUM", &self.chromium);
        command
    }

    fn packages(&self) -> PathBuf {
        let [first, ..] = SCRIPTS;
        self.directory.join(first)
    }

    fn command(&self, program: &str) -> Command {
        let beside = self.packages().join(program);
        let mut command = if beside.is_file() { Command::new(beside) } else { Command::new(program) };
        command.current_dir(self.packages());
        command
    }

    /// Runs `install` unless it has succeeded for the same `manifest`.
    fn unless_done(&self, manifest: &str, install: impl Fn(&Self) -> Result<(), Error>) -> Result<(), Error> {
        let [wanted, done] =
            [manifest.to_owned(), format!("{manifest}.installed")].map(|name| self.packages().join(name));
        let text = fs::read(&wanted).map_err(|source| Error::Read { path: wanted, source })?;
        if fs::read(&done).is_ok_and(|installed| installed == text) {
            return Ok(());
        }
        install(self)?;
        fs::write(&done, text).map_err(|source| Error::Write { path: done, source })
    }
}

/// What a script says.
pub(super) fn answers<T: DeserializeOwned>(command: &mut Command) -> Result<T, Error> {
    let said = process::read(command, DEADLINE)?;
    serde_json::from_str(&said).map_err(|source| Error::Json { command: process::shown(command), source })
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
