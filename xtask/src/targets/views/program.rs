//! The command line, built, and what it answers.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use serde_json::Value;

use crate::{error::Error, process, workspace::Workspace};

const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(2 * 60);

pub(super) struct Program {
    path: PathBuf,
}

impl Program {
    pub(super) fn build(workspace: &Workspace) -> Result<Self, Error> {
        // The one that the tests have: without one of them, or of fewer packages, its dependencies would have other features,
        // and be compiled once more.
        let arguments =
            ["build", "--locked", "--workspace", "--all-features", "--bin=allometer", "--test=cli"];
        process::run(&mut workspace.cargo(&arguments), BUILD)?;
        Ok(Self { path: workspace.target().join("debug/allometer") })
    }

    /// What it writes, for words and then files.
    pub(super) fn text(&self, words: &[&str], files: &[&Path]) -> Result<String, Error> {
        process::read(Command::new(&self.path).args(words).args(files), RUN)
    }

    pub(super) fn json(&self, words: &[&str], files: &[&Path]) -> Result<Value, Error> {
        let text = self.text(&[words, &["--json"]].concat(), files)?;
        let command = || format!("allometer {}", words.join(" "));
        serde_json::from_str(&text).map_err(|source| Error::Json { command: command(), source })
    }

    /// Writes what it answers into `to`.
    pub(super) fn write(&self, words: &[&str], files: &[&Path], to: &Path) -> Result<(), Error> {
        process::read(Command::new(&self.path).args(words).args(files).arg("-o").arg(to), RUN).map(drop)
    }
}
