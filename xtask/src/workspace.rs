//! Where things are.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use crate::{error::Error, process};

/// How long the compiler may take to tell something.
const ANSWER: Duration = Duration::from_secs(60);

/// This repository: the root workspace, and beside it the consumers, each a workspace of its own.
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace that this program was built in.
    pub(crate) fn of_this_program() -> Self {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self { root: xtask.parent().unwrap_or(xtask).to_owned() }
    }

    /// `path` below the root.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    /// Reads the text file at `path` below the root.
    pub(crate) fn read(&self, path: &str) -> Result<String, Error> {
        let path = self.path(path);
        fs::read_to_string(&path).map_err(|source| Error::Read { path, source })
    }

    /// Where the root workspace's artefacts go.
    pub(crate) fn target(&self) -> PathBuf {
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| self.path("target"), |dir| self.root.join(dir))
    }

    /// `program`, to be run in the root.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// `cargo` in the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.command("cargo");
        command.args(arguments);
        command
    }

    /// The target that programs are for here, as the compiler calls it.
    pub(crate) fn host(&self) -> Result<String, Error> {
        let host = process::read(self.command("rustc").args(["--print", "host-tuple"]), ANSWER)?;
        Ok(host.trim().to_owned())
    }

    /// `cargo` on the manifest of a consumer, or of another workspace below the root. They all share
    /// one target directory, so that what they have in common is compiled once.
    pub(crate) fn cargo_beside(&self, member: &str, arguments: &[&str]) -> Command {
        let mut command = self.cargo(arguments);
        command.arg("--manifest-path").arg(self.manifest_beside(member));
        if self.path(member).join(".cargo/config.toml").is_file() {
            // It is read where cargo runs. What is compiled by it is nobody else's.
            command.current_dir(self.path(member)).env("CARGO_TARGET_DIR", self.target().join("configured"));
        } else {
            command.env("CARGO_TARGET_DIR", self.target_beside());
        }
        command
    }

    /// That directory. Builds with flags of their own are for a target that they name, so that build scripts and macros are
    /// those of all others; cargo keeps the rest apart by the flags.
    pub(crate) fn target_beside(&self) -> PathBuf {
        self.target().join("consumers")
    }

    /// Where that goes which is compiled with flags that a stable compiler only takes when told so: some build scripts have
    /// other answers then, and would be run again by whoever is not, with all that depends on them.
    pub(crate) fn target_unstable(&self) -> PathBuf {
        self.target().join("sanitizers")
    }

    /// The manifest of the workspace at `member`, below the root.
    pub(crate) fn manifest_beside(&self, member: &str) -> PathBuf {
        self.path(member).join("Cargo.toml")
    }

    /// The names of the consumers, in order.
    pub(crate) fn consumers(&self) -> Result<Vec<String>, Error> {
        self.members("consumers")
    }

    /// The names of the directories below `parent` that are workspaces, in order.
    pub(crate) fn members(&self, parent: &str) -> Result<Vec<String>, Error> {
        let path = self.path(parent);
        let read = |source| Error::Read { path: path.clone(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(read)? {
            let entry = entry.map_err(read)?;
            if entry.path().join("Cargo.toml").is_file() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }
}
