//! The programs of one provider that the benches measure.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::{
    error::Error,
    process,
    targets::{
        callgrind::{self, Of, PerStep},
        peer::Peer,
        said::Said,
    },
    workspace::Workspace,
};

/// Where the benches' workspaces are, below the root.
pub(crate) const PROVIDERS: &str = "benches/providers";
pub(crate) const PEERS: &str = "benches/peers";

/// How long compiling the programs of one provider may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);
/// How programs are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// As services ship them.
    Shipped,
    /// The same, with frame pointers.
    FramePointers,
}

/// One of the programs over a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// The provider alone.
    Bare,
    /// With the sampler in front of it.
    Profiled,
    /// The same, compiled with frame pointers.
    ProfiledWithFramePointers,
    /// With the sampler, and with what is allocated counted.
    Counted,
}

impl Program {
    fn build(self) -> Build {
        match self {
            Self::Bare | Self::Profiled | Self::Counted => Build::Shipped,
            Self::ProfiledWithFramePointers => Build::FramePointers,
        }
    }
}

/// The names of the providers that there are benches over, in order.
pub(crate) fn providers(workspace: &Workspace) -> Result<Vec<String>, Error> {
    workspace.members(PROVIDERS)
}

/// The programs over one provider, or those of a peer.
pub(crate) struct Bench<'a> {
    workspace: &'a Workspace,
    name: &'a str,
    /// Where its workspace is, below the root.
    member: String,
    /// The provider whose program without a profiler it is compared with.
    provider: &'a str,
    peer: Option<&'a Peer>,
    /// What was counted already, by the command line: lines have baselines in common.
    counted: Mutex<HashMap<String, Arc<PerStep>>>,
}

impl<'a> Bench<'a> {
    /// How long a program may run.
    pub(crate) const RUN: Duration = Duration::from_secs(20 * 60);

    pub(crate) fn over(workspace: &'a Workspace, provider: &'a str) -> Self {
        let member = format!("{PROVIDERS}/{provider}");
        Self { workspace, name: provider, member, provider, peer: None, counted: Mutex::default() }
    }

    pub(crate) fn of(workspace: &'a Workspace, peer: &'a Peer) -> Self {
        let Peer { name, provider, .. } = *peer;
        let member = format!("{PEERS}/{}", peer.directory);
        Self { workspace, name, member, provider, peer: Some(peer), counted: Mutex::default() }
    }

    pub(crate) fn workspace(&self) -> &Workspace {
        self.workspace
    }

    pub(crate) fn name(&self) -> &str {
        self.name
    }

    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.peer
    }

    /// Compiles its programs.
    pub(crate) fn build(&self, build: Build) -> Result<(), Error> {
        let mut command = self.cargo(build, &["build", "--quiet", "--release", "--locked"]);
        if build == Build::FramePointers {
            command.args(["--bin", &self.file(Program::ProfiledWithFramePointers)]);
        }
        process::run(&mut command, BUILD)
    }

    /// `cargo` on the programs' manifest, all benches in one target directory for each way to compile.
    pub(crate) fn cargo(&self, build: Build, arguments: &[&str]) -> Command {
        let mut command = self.workspace.cargo_beside(&self.member, arguments);
        command.env("CARGO_TARGET_DIR", self.target(build));
        if build == Build::FramePointers {
            command.env("RUSTFLAGS", "-Cforce-frame-pointers=yes");
        }
        command
    }

    fn target(&self, build: Build) -> PathBuf {
        self.workspace.target().join(match build {
            Build::Shipped => "benches",
            Build::FramePointers => "benches-frame-pointers",
        })
    }

    fn file(&self, program: Program) -> String {
        match program {
            Program::Bare => format!("{}-bare", self.provider),
            Program::Counted => format!("{}-counted", self.name),
            Program::Profiled | Program::ProfiledWithFramePointers => format!("{}-profiled", self.name),
        }
    }

    /// Where a program is.
    pub(crate) fn path(&self, program: Program) -> PathBuf {
        self.target(program.build()).join("release").join(self.file(program))
    }

    /// The program that does nothing of what `program` does in a session, but all else.
    pub(crate) fn idle(&self, program: Program) -> Program {
        if self.peer.is_some_and(|peer| peer.is_always_on) { Program::Bare } else { program }
    }

    /// What a program says when it does `n` of a workload.
    pub(crate) fn say(
        &self,
        program: Program,
        workload: &str,
        n: u64,
        words: &[&str],
    ) -> Result<Said, Error> {
        let mut command = Command::new(self.path(program));
        command.arg(workload).arg(n.to_string()).args(words);
        let said = process::read(&mut command, Self::RUN)?;
        Ok(Said::new(&command, said))
    }

    /// The instructions that one of `n` steps of a workload takes: by the difference of `2n` and `n` steps.
    pub(crate) fn count(
        &self,
        program: Program,
        workload: &str,
        n: u64,
        words: &[&str],
    ) -> Result<Arc<PerStep>, Error> {
        let key = format!("{program:?} {workload} {n} {}", words.join(" "));
        let lock = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counted) = lock().get(&key) {
            return Ok(counted.clone());
        }
        let run = |steps: u64| self.instructions(program, workload, steps, words);
        let of = if self.peer.is_some() { Of::Everything } else { Of::ItsPlace };
        let counted = Arc::new(PerStep { steps: n, once: run(n)?, twice: run(2 * n)?, of });
        lock().insert(key, counted.clone());
        Ok(counted)
    }

    /// The instructions of a whole run.
    pub(crate) fn total(
        &self,
        program: Program,
        workload: &str,
        n: u64,
        words: &[&str],
    ) -> Result<f64, Error> {
        Ok(self.instructions(program, workload, n, words)?.total() as f64)
    }

    fn instructions(
        &self,
        program: Program,
        workload: &str,
        steps: u64,
        words: &[&str],
    ) -> Result<callgrind::Counts, Error> {
        let directory = self.target(program.build()).join("callgrind");
        fs::create_dir_all(&directory).map_err(|source| Error::Write { path: directory.clone(), source })?;
        // Two benches may run one program at a time, without a profiler.
        let out = directory.join(format!("{}-{}.out", self.name, self.file(program)));
        let mut command = callgrind::command(&out);
        command.arg(self.path(program)).arg(workload).arg(steps.to_string()).args(words);
        process::read(&mut command, Self::RUN)?;
        let counts = read(&out)?;
        callgrind::Counts::read(&counts).ok_or(Error::NotUnderstood { path: out, what: "callgrind's output" })
    }
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}
