//! M6, M7: what a report takes of memory, and leaves.

use std::{fs, path::Path, process::Command, time::Duration};

use object::{Object, ObjectSection};

use crate::{
    error::Error,
    process,
    targets::{
        bench::{Bench, Program},
        line::Figure,
        memory::MIB,
        said::Said,
    },
    workspace::Workspace,
};

/// Stacks that are reported.
const SITES: u64 = 2000;
/// In a session that samples everything.
const WORDS: [&str; 2] = ["interval=1", "live=true"];
/// The program with much debug information.
const LARGE: &str = "benches/large";
/// How long compiling it may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(40 * 60);

/// What one report took, in bytes.
struct Footprint {
    peak: f64,
    kept: f64,
    kept_without_names: f64,
}

impl Footprint {
    fn of(said: &Said) -> Result<Self, Error> {
        Ok(Self {
            peak: said.number("peak")?,
            kept: said.number("kept")?,
            kept_without_names: said.number("kept_without_names")?,
        })
    }
}

/// M6.
pub(super) fn kept(bench: &Bench) -> Result<Figure, Error> {
    let Footprint { peak, kept, kept_without_names } =
        Footprint::of(&bench.say(Program::Counted, "footprint", SITES, &WORDS)?)?;
    let figures = format!(
        "{:.2} MiB with its names, {:.0} KiB without; {:.1} MiB at most",
        kept / MIB,
        kept_without_names / 1024.0,
        peak / MIB
    );
    Ok(Figure::of(kept <= 4.0 * MIB && kept_without_names <= MIB / 4.0, figures))
}

/// M7.
pub(super) fn of_a_large_program(bench: &Bench) -> Result<Figure, Error> {
    let workspace = bench.workspace();
    let program = build(workspace)?;
    let debug_bytes = debug_bytes(&program)?;
    let mut command = Command::new(&program);
    command.arg("footprint").arg(SITES.to_string()).args(WORDS);
    let said = process::read(&mut command, Bench::RUN)?;
    let Footprint { peak, kept, .. } = Footprint::of(&Said::new(&command, said))?;
    let figures = format!(
        "{:.1} MiB at most, {:.2} MiB after; {:.0} MB of debug information",
        peak / MIB,
        kept / MIB,
        debug_bytes as f64 / 1e6
    );
    Ok(Figure::of(peak <= 64.0 * MIB && kept <= 8.0 * MIB, figures))
}

fn build(workspace: &Workspace) -> Result<std::path::PathBuf, Error> {
    let target = workspace.target().join("benches-large");
    let mut cargo = workspace.cargo_beside(LARGE, &["build", "--quiet", "--release", "--locked"]);
    process::run(cargo.env("CARGO_TARGET_DIR", &target), BUILD)?;
    Ok(target.join("release/bench-large"))
}

/// The size of a program's debug information.
fn debug_bytes(program: &Path) -> Result<u64, Error> {
    let path = || program.to_owned();
    let bytes = fs::read(program).map_err(|source| Error::Read { path: path(), source })?;
    let object = object::File::parse(&*bytes).map_err(|source| Error::Object { path: path(), source })?;
    let is_debug = |name: &str| name.starts_with(".debug_");
    Ok(object
        .sections()
        .filter(|section| section.name().is_ok_and(is_debug))
        .map(|section| section.size())
        .sum())
}
