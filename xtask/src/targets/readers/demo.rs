//! The demo, built with each level of debug information: how well a profile reads depends on it. Its input is fixed:
//! the sources of this repository's crates.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    error::Error,
    process::{self, Output},
    targets::readers::subject::{Program, Subject},
    workspace::Workspace,
};

/// What it reads.
const INPUT: &str = "crates";

const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(2 * 60);

/// A build of the demo.
struct Level {
    /// For the release profile's `debug`.
    debug: &'static str,
    subject: &'static str,
    program: Program,
}

static LEVELS: [Level; 3] = [
    Level { debug: "line-tables-only", subject: "demo", program: program(true, true) },
    Level { debug: "none", subject: "demo-none", program: program(false, false) },
    Level { debug: "full", subject: "demo-full", program: program(true, false) },
];

const fn program(has_lines: bool, is_for_all: bool) -> Program {
    Program {
        order: &["demo::parse_some", "syn::parse_file", "syn::item::parsing::"],
        crates: &["demo", "syn", "proc_macro2", "unicode_ident", "walkdir"],
        has_lines,
        holds: 1 << 20,
        is_for_all,
        has_chains: true,
        ..Program::UNKNOWN
    }
}

/// The profiles of the demo's end at each level of debug information, and the one of its middle at the first, all in
/// `directory`.
pub(super) fn run(workspace: &Workspace, directory: &Path) -> Result<(Vec<Subject>, Subject), Error> {
    let mut ends = Vec::new();
    for Level { debug, subject, program } in &LEVELS {
        let demo = Demo::build(workspace, debug)?;
        demo.refuses(workspace, "no-such-directory")?;
        demo.refuses(workspace, "docs")?;
        demo.run(workspace)?;
        for (file, name) in [("heap.pb.gz", (*subject).to_owned()), ("before.pb.gz", middle(subject))] {
            let to = directory.join(format!("{name}.pb.gz"));
            fs::copy(demo.written(file), &to).map_err(|source| Error::Write { path: to, source })?;
        }
        ends.push(Subject::read(directory, subject, program)?);
    }
    let [first, ..] = &LEVELS;
    Ok((ends, Subject::read(directory, &middle(first.subject), &first.program)?))
}

fn middle(subject: &str) -> String {
    format!("{subject}-middle")
}

/// The demo's program, and a directory of its own for what it writes.
struct Demo {
    level: String,
    program: PathBuf,
    directory: PathBuf,
}

impl Demo {
    /// Builds it as `cargo demo` does, with `level` for the release profile's `debug`.
    fn build(workspace: &Workspace, level: &str) -> Result<Self, Error> {
        let arguments =
            ["--release", "--package", "allometer", "--example", "demo", "--features", "mimalloc"];
        let mut command = workspace.cargo(&["build", "--locked"]);
        command.args(arguments).env("CARGO_PROFILE_RELEASE_DEBUG", level);
        process::run(&mut command, BUILD)?;

        // The next level takes this one's place in the target directory, and readers do look for it.
        let built = workspace.target().join("release/examples/demo");
        let directory = workspace.target().join("readers").join(level);
        let program = directory.join("demo-program");
        let copied = fs::create_dir_all(&directory).and_then(|()| fs::copy(&built, &program));
        copied.map_err(|source| Error::Read { path: built, source })?;
        Ok(Self { level: level.to_owned(), program, directory })
    }

    /// Runs it on the fixed input.
    fn run(&self, workspace: &Workspace) -> Result<(), Error> {
        let output = self.output(workspace, INPUT)?;
        if !output.status.success() {
            let said = output.stderr.trim();
            return Err(self.fault(format!("it ended with {} and said {said:?}", output.status)));
        }
        let is_empty = |file: &&str| !fs::metadata(self.written(file)).is_ok_and(|it| it.len() > 0);
        let absent = ["heap.pb.gz", "before.pb.gz", "heap.svg"].into_iter().find(is_empty);
        absent.map_or(Ok(()), |file| Err(self.fault(format!("it wrote no {file}"))))
    }

    /// Asks that it refuses `directory`, which is not there or holds no Rust source: one line, code 2.
    fn refuses(&self, workspace: &Workspace, directory: &str) -> Result<(), Error> {
        let output = self.output(workspace, directory)?;
        if output.status.code() == Some(2) && output.stderr.lines().count() == 1 && output.stdout.is_empty() {
            return Ok(());
        }
        let said = output.stderr.trim();
        Err(self.fault(format!("for {directory:?} it ended with {} and said {said:?}", output.status)))
    }

    /// Where it wrote the file called `name`.
    fn written(&self, name: &str) -> PathBuf {
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
