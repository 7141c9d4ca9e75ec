//! The compiled models, and a run of some of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::PathBuf,
    process::Command,
    time::Duration,
};

use super::THREADS;
use crate::{error::Error, executable, process, workspace::Workspace};

/// The package whose models they are.
const PACKAGE: &str = "allometer-core";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
/// How long all models may take.
const ALL: Duration = Duration::from_secs(10 * 60);
/// How long one may take whose order was weakened.
const ONE: Duration = Duration::from_secs(5 * 60);

/// Each execution needs some memory again; half the time went into getting it from the system and giving it back.
const KEEP_MEMORY: &str = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296";

/// Tells the models where to write what they have to say.
const FIGURES: &str = "ALLOMETER_FIGURES";
/// Tells the models which place to weaken.
const WEAKEN: &str = "ALLOMETER_WEAKEN";

/// What stands in for the atomics, and what is run with it.
#[derive(Clone, Copy)]
pub(super) struct Checker {
    /// A build for it is told so by this.
    cfg: &'static str,
    /// The names of its models hold it.
    models: &'static str,
}

/// Small models, in every order.
pub(super) const LOOM: Checker = Checker { cfg: "loom", models: "models::" };
/// Larger scenarios, in some orders.
pub(super) const SHUTTLE: Checker = Checker { cfg: "shuttle", models: "schedules::" };

/// The program that holds the models.
pub(super) struct Program {
    checker: Checker,
    path: PathBuf,
    figures: PathBuf,
    root: PathBuf,
}

/// What a run says of a model.
pub(super) struct Model {
    pub(super) name: String,
    pub(super) executions: u64,
    /// Where it met an order stronger than the weakest.
    pub(super) places: BTreeSet<String>,
}

impl Program {
    pub(super) fn build(workspace: &Workspace, checker: Checker) -> Result<Self, Error> {
        let host = workspace.host()?;
        // A target is named so that build scripts and macros, which run on the way, are those of the consumers.
        let cargo = || {
            let arguments = ["test", "--locked", "--release", "--lib", "--no-run", "--package", PACKAGE];
            let mut command = workspace.cargo(&arguments);
            command.args(["--target", &host]).env("CARGO_TARGET_DIR", workspace.target_beside());
            command.env("RUSTFLAGS", format!("--cfg {}", checker.cfg));
            command
        };
        let path = executable::build(cargo, &PACKAGE.replace('-', "_"), &[], BUILD)?;
        let figures = path.with_extension("figures");
        Ok(Self { checker, path, figures, root: workspace.path("") })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(words).env_remove(FIGURES).env_remove(WEAKEN).env("RUST_BACKTRACE", "0");
        command.env("GLIBC_TUNABLES", KEEP_MEMORY);
        command.current_dir(&self.root);
        command
    }

    /// Runs every model as it is.
    pub(super) fn run_all(&self) -> Result<Vec<Model>, Error> {
        match fs::remove_file(&self.figures) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Write { path: self.figures.clone(), source });
            }
            _ => {}
        }
        let threads = format!("--test-threads={THREADS}");
        process::run(
            self.command(&[self.checker.models, "--quiet", &threads]).env(FIGURES, &self.figures),
            ALL,
        )?;
        let text = fs::read_to_string(&self.figures);
        read(&text.map_err(|source| Error::Read { path: self.figures.clone(), source })?)
    }

    /// Whether a model fails where the order at `location` is weakened.
    pub(super) fn fails(&self, model: &str, location: &str) -> Result<bool, Error> {
        let mut command = self.command(&[model, "--exact", "--quiet", "--test-threads=1"]);
        Ok(!process::output(command.env(WEAKEN, location), ONE)?.status.success())
    }
}

/// Reads lines of `model NAME EXECUTIONS` and `place NAME PLACE`.
fn read(figures: &str) -> Result<Vec<Model>, Error> {
    let mut models = BTreeMap::new();
    for line in figures.lines() {
        let not_understood = || Error::Models(vec![format!("a model said what is not known here: {line}")]);
        let (kind, rest) = line.split_once(' ').ok_or_else(not_understood)?;
        let (name, what) = rest.split_once(' ').ok_or_else(not_understood)?;
        let new = || Model { name: name.to_owned(), executions: 0, places: BTreeSet::new() };
        let model = models.entry(name.to_owned()).or_insert_with(new);
        match kind {
            "model" => model.executions = what.parse().map_err(|_| not_understood())?,
            "place" => drop(model.places.insert(what.to_owned())),
            _ => return Err(not_understood()),
        }
    }
    Ok(models.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_models_say_is_read() {
        let models = read("model a 7\nplace a x.rs:1:2\nmodel b 1\nplace a x.rs:3:4 failure\n").unwrap();
        let said: Vec<_> =
            models.iter().map(|model| (&*model.name, model.executions, model.places.len())).collect();
        assert_eq!(said, [("a", 7, 2), ("b", 1, 0)]);
        assert!(read("model a\n").is_err() && read("else a b\n").is_err());
    }
}
