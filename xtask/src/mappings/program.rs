use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use allometer_profile::Profile;
use object::{Object, ObjectSection};

use super::shape::{Shape, Treatment};
use crate::{error::Error, process, workspace::Workspace};

const CONSUMER: &str = "consumers/symbols";
const NAME: &str = "consumer-symbols";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(60);

/// The program in one shape, and a directory of its own.
pub(super) struct Program {
    shape: &'static Shape,
    directory: PathBuf,
}

/// What a run has written.
pub(super) struct Written {
    /// The file that ran.
    pub(super) program: PathBuf,
    pub(super) named: Profile,
    pub(super) unnamed: Profile,
    /// Functions, and the line on which each makes a call.
    pub(super) calls: Vec<(String, u32)>,
}

impl Program {
    /// The flags are those of the last step only, so that what it consists of is compiled once.
    pub(super) fn build(workspace: &Workspace, shape: &'static Shape) -> Result<Self, Error> {
        let mut command = workspace.cargo_beside(CONSUMER, &["rustc", "--locked", "--release", "--quiet"]);
        process::run(command.arg("--").args(shape.flags), BUILD)?;

        let directory = workspace.target().join("mappings").join(shape.name);
        let program = Self { shape, directory };
        let built = workspace.target().join("consumers/release").join(NAME);
        let file = fs::read(&built).map_err(|source| Error::Read { path: built.clone(), source })?;
        if let Some(fault) = shape.fault_in(&file) {
            return Err(Error::Names { shape: shape.name, fault: format!("it is not made so: {fault}") });
        }
        for directory in [program.directory.clone(), program.elsewhere(), program.symbols_directory()] {
            fs::create_dir_all(&directory).map_err(|source| Error::Write { path: directory, source })?;
        }
        program.treat(workspace, &built)?;
        Ok(program)
    }

    /// The file that has its symbols, at a place where nobody would look for it.
    pub(super) fn symbols(&self) -> PathBuf {
        self.symbols_directory().join(NAME)
    }

    fn symbols_directory(&self) -> PathBuf {
        self.directory.join("symbols")
    }

    /// Where it runs.
    fn elsewhere(&self) -> PathBuf {
        self.directory.join("run")
    }

    fn treat(&self, workspace: &Workspace, built: &Path) -> Result<(), Error> {
        let (program, symbols) = (self.elsewhere().join(NAME), self.symbols());
        let copy = |to: &Path| {
            fs::copy(built, to).map(drop).map_err(|source| Error::Write { path: to.to_owned(), source })
        };
        let binutils = |name: &str, arguments: &[&str], to: &Path| {
            process::read(workspace.command(name).args(arguments).arg(built).arg(to), RUN).map(drop)
        };
        match self.shape.treatment {
            Treatment::None | Treatment::Stripped => copy(&symbols)?,
            // By its name go takes that section for debug information, and misses its contents.
            Treatment::Split => {
                let arguments = ["--only-keep-debug", "--remove-section=.debug_gdb_scripts"];
                binutils("objcopy", &arguments, &symbols)?;
            }
        }
        match self.shape.treatment {
            Treatment::None => copy(&program),
            Treatment::Stripped | Treatment::Split => binutils("objcopy", &["--strip-all"], &program),
        }
    }

    /// Runs it, and reads what it writes.
    pub(super) fn run(&self, workspace: &Workspace) -> Result<Written, Error> {
        let directory = self.elsewhere();
        let program = directory.join(NAME);
        let mut command = if self.shape.starts_loader {
            let mut command = workspace.command(&loader(&program)?);
            command.arg(&program);
            command
        } else {
            Command::new(&program)
        };
        process::read(command.arg(&directory), RUN)?;
        let read = |name: &str| {
            let path = directory.join(name);
            fs::read(&path).map_err(|source| Error::Read { path, source })
        };
        let profile = |name: &str| {
            Profile::from_pprof(&read(name)?)
                .map_err(|error| Error::Names { shape: self.shape.name, fault: format!("{name}: {error}") })
        };
        let calls = String::from_utf8_lossy(&read("expected.txt")?)
            .lines()
            .filter_map(|line| {
                let (function, line) = line.split_once(' ')?;
                Some((function.to_owned(), line.parse().ok()?))
            })
            .collect();
        Ok(Written { named: profile("named.pb")?, unnamed: profile("unnamed.pb")?, calls, program })
    }

    /// The profile without names.
    pub(super) fn unnamed(&self) -> PathBuf {
        self.elsewhere().join("unnamed.pb")
    }
}

/// The loader that a program asks for.
fn loader(program: &Path) -> Result<String, Error> {
    let understood = |what| Error::NotUnderstood { path: program.to_owned(), what };
    let bytes = fs::read(program).map_err(|source| Error::Read { path: program.to_owned(), source })?;
    let object =
        object::File::parse(&*bytes).map_err(|source| Error::Object { path: program.to_owned(), source })?;
    let section = object.section_by_name(".interp").and_then(|section| section.data().ok());
    let path = section.ok_or_else(|| understood("a program with a loader"))?;
    Ok(String::from_utf8_lossy(path).trim_end_matches('\0').to_owned())
}
