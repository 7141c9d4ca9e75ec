//! The demo, as `cargo demo` builds it. Its input is fixed: the sources of this repository's crates.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    error::Error,
    process::{self, Output},
    workspace::Workspace,
};

/// What it reads.
const INPUT: &str = "crates";

const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(2 * 60);

/// The demo's program, and a directory of its own for what it writes.
pub(super) struct Demo {
    level: String,
    program: PathBuf,
    directory: PathBuf,
}

impl Demo {
    /// Builds it as `cargo demo` does, with `level` for the release profile's `debug`.
    pub(super) fn build(workspace: &Workspace, level: &str) -> Result<Self, Error> {
        let arguments =
            ["--release", "--package", "allometer", "--example", "demo", "--features", "mimalloc,html"];
        let mut command = workspace.cargo(&["build", "--locked"]);
        command.args(arguments).env("CARGO_PROFILE_RELEASE_DEBUG", level);
        // Beside the consumers, which have most of what it needs.
        command.env("CARGO_TARGET_DIR", workspace.target_beside());
        process::run(&mut command, BUILD)?;

        // The next level takes this one's place in the target directory, and readers do look for it.
        let built = workspace.target_beside().join("release/examples/demo");
        let directory = workspace.target().join("readers").join(level);
        let program = directory.join("demo-program");
        let copied = fs::create_dir_all(&directory).and_then(|()| fs::copy(&built, &program));
        copied.map_err(|source| Error::Read { path: built, source })?;
        Ok(Self { level: level.to_owned(), program, directory })
    }

    /// Runs it on the fixed input.
    pub(super) fn run(&self, workspace: &Workspace) -> Result<(), Error> {
        let output = self.output(workspace, INPUT)?;
        if !output.status.success() {
            let said = output.stderr.trim();
            return Err(self.fault(format!("it ended with {} and said {said:?}", output.status)));
        }
        let is_empty = |file: &&str| !fs::metadata(self.written(file)).is_ok_and(|it| it.len() > 0);
        let absent = ["heap.pb.gz", "before.pb.gz", "heap.svg", "heap.html"].into_iter().find(is_empty);
        absent.map_or(Ok(()), |file| Err(self.fault(format!("it wrote no {file}"))))
    }

    /// Asks that it refuses `directory`, which is not there or holds no Rust source: one line, code 2.
    pub(super) fn refuses(&self, workspace: &Workspace, directory: &str) -> Result<(), Error> {
        let output = self.output(workspace, directory)?;
        if output.status.code() == Some(2) && output.stderr.lines().count() == 1 && output.stdout.is_empty() {
            return Ok(());
        }
        let said = output.stderr.trim();
        Err(self.fault(format!("for {directory:?} it ended with {} and said {said:?}", output.status)))
    }

    /// Where it wrote the file called `name`.
    pub(super) fn written(&self, name: &str) -> PathBuf {
        self.directory.join("demo").join(name)
    }

    fn output(&self, workspace: &Workspace, input: &str) -> Result<Output, Error> {
        let program: &Path = &self.program;
        let mut command = workspace.command(&program.to_string_lossy());
        command.arg(input).env("CARGO_TARGET_DIR", &self.directory);
        process::output(&mut command, RUN)
    }

    fn fault(&self, fault: String) -> Error {
        Error::Reader { place: format!("debug = {}, the demo itself", self.level), fault }
    }
}
