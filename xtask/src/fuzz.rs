//! Everything that parses, fed with what a fuzzer makes up.
//!
//! | module | owns |
//! |---|---|
//! | `options` | what the command was asked for |
//! | `outcome` | what libFuzzer says of a run |

mod options;
mod outcome;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use self::{options::Options, outcome::Outcome};
use crate::{
    beside,
    error::Error,
    process,
    tool::{Source, Tool},
    workspace::Workspace,
};

/// Brings libFuzzer together with the flags that it needs.
pub(crate) const CARGO_FUZZ: Tool =
    Tool { program: "cargo-fuzz", package: "cargo-fuzz@0.13.2", source: Source::Cargo };

/// The workspace of the targets, below the root.
const FUZZ: &str = "fuzz";
/// The target that must crash.
const CONTROL: &str = "control";
/// How many run at a time, each for the time that was asked for: more than there may be cores, since it is in the first
/// seconds that a fault which is easy to meet is met.
const AT_A_TIME: usize = 12;
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);
/// How long reading the inputs that are kept may take, before the time that was asked for begins.
const START: Duration = Duration::from_secs(120);
/// Seconds within which the control crashes, by far.
const CONTROL_SECONDS: u64 = 60;

/// All targets, a minute each. Answers a line for each of them.
///
/// # Errors
///
/// [`Error::Fuzz`] names the targets that crashed, [`Error::Control`] says that the one that must did not.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, Error> {
    fuzz(workspace, &Options::default())
}

/// As [`check`], by the options of the command line.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    match arguments {
        [] => check(workspace),
        _ => fuzz(workspace, &Options::parse(arguments)?),
    }
    .map(drop)
}

fn fuzz(workspace: &Workspace, options: &Options) -> Result<Vec<String>, Error> {
    if !CARGO_FUZZ.ensure()? {
        return Err(Error::Missing(CARGO_FUZZ));
    }
    let bench = Bench::build(workspace)?;
    let targets = options.choose(bench.targets()?)?;
    bench.control()?;
    let outcomes = beside::each(AT_A_TIME, &targets, |target| {
        let outcome = bench.run(target, options.seconds)?;
        println!("{}", line(target, &outcome));
        Ok(outcome)
    })?;
    let lines = targets.iter().zip(&outcomes).map(|(target, outcome)| line(target, outcome)).collect();
    let failed = targets.iter().zip(&outcomes).filter(|(_, outcome)| !outcome.is_good());
    let failed: Vec<String> =
        failed.map(|(target, outcome)| format!("{target}:\n{}", outcome.complaint)).collect();
    if !failed.is_empty() {
        return Err(Error::Fuzz(failed));
    }
    if options.keep {
        targets.iter().try_for_each(|target| bench.keep(target))?;
    }
    Ok(lines)
}

fn line(target: &str, outcome: &Outcome) -> String {
    format!("{target:<13} {outcome}")
}

/// The targets, compiled.
struct Bench<'a> {
    workspace: &'a Workspace,
    host: String,
}

impl<'a> Bench<'a> {
    fn build(workspace: &'a Workspace) -> Result<Self, Error> {
        let bench = Self { workspace, host: workspace.host()? };
        let mut command = workspace.cargo(&["fuzz", "build", "--fuzz-dir", FUZZ, "--target-dir"]);
        // The sanitizer's flag is one that a stable compiler only takes when told so.
        process::run(command.arg(workspace.target_unstable()).env("RUSTC_BOOTSTRAP", "1"), BUILD)?;
        Ok(bench)
    }

    /// All targets but the control, in order.
    fn targets(&self) -> Result<Vec<String>, Error> {
        let directory = self.workspace.path(FUZZ).join("targets");
        let read = |source| Error::Read { path: directory.clone(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(&directory).map_err(read)? {
            let path = entry.map_err(read)?.path();
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            names.extend(name.filter(|name| name != CONTROL));
        }
        names.sort();
        Ok(names)
    }

    /// Below the directory of everything that fuzzing writes.
    fn directory(&self, path: &str) -> PathBuf {
        self.workspace.target().join("fuzz").join(path)
    }

    /// The inputs of a target that are in the tree.
    fn kept(&self, target: &str) -> PathBuf {
        self.workspace.path(FUZZ).join("corpus").join(target)
    }

    fn program(&self, target: &str) -> Command {
        let path = self.workspace.target_unstable().join(&self.host).join("release").join(target);
        let mut command = self.workspace.command(&path.to_string_lossy());
        // Some libraries are linked twice into one program, which is no fault.
        command.env("ASAN_OPTIONS", "detect_odr_violation=0");
        command
    }

    /// Looks for crashes for so long. New inputs are for the next run, and not for the tree.
    fn run(&self, target: &str, seconds: u64) -> Result<Outcome, Error> {
        let [found, crashes] = ["found", "crashes"].map(|kind| self.directory(kind).join(target));
        [&found, &crashes].into_iter().try_for_each(|path| create(path))?;
        let mut command = self.program(target);
        command
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-artifact_prefix={}/", crashes.display()));
        command.args(["-rss_limit_mb=512", "-timeout=10", "-seed=1", "-print_final_stats=1"]);
        command.arg(found).args(Some(self.kept(target)).filter(|kept| kept.exists()));
        let output = process::output(&mut command, Duration::from_secs(seconds) + START)?;
        Ok(Outcome::of(output.status.success(), &output.stderr))
    }

    /// A harness that does not find the planted crash finds no other.
    fn control(&self) -> Result<(), Error> {
        let outcome = self.run(CONTROL, CONTROL_SECONDS)?;
        if outcome.is_good() || !outcome.complaint.contains("planted") {
            return Err(Error::Control(format!("the crash of the fuzz target `{CONTROL}`")));
        }
        println!("{CONTROL:<13} the planted crash was found");
        Ok(())
    }

    /// Takes those new inputs into the tree that reach what none of those in it does.
    fn keep(&self, target: &str) -> Result<(), Error> {
        let mut command = self.program(target);
        create(&self.kept(target))?;
        command.arg("-set_cover_merge=1").arg(self.kept(target)).arg(self.directory("found").join(target));
        process::read(&mut command, BUILD).map(drop)
    }
}

fn create(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|source| Error::Write { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_holds_no_more_than_a_mebibyte_of_inputs() {
        let corpus = Workspace::of_this_program().path(FUZZ).join("corpus");
        let below = |path: &Path| -> Vec<PathBuf> {
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        let files: Vec<PathBuf> = below(&corpus).iter().flat_map(|target| below(target)).collect();
        let bytes: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!(files.len() > 100 && bytes < 1 << 20, "{} files of {bytes} bytes", files.len());
    }
}
