//! A jemalloc that was built without its profiler.

use std::{path::PathBuf, time::Duration};

use crate::{
    error::Error,
    process,
    targets::{line::Figure, native::suites},
    workspace::Workspace,
};

/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(60);
/// Builds one without.
const WITHOUT: &str = "consumers/jemalloc";
/// A program that starts the profiler, and says what becomes of it.
const NATIVE: &str = "consumers/jemalloc-native";
const EXPECTED: &str =
    "jemalloc was built without its profiler: expected the feature `profiling` of tikv-jemallocator";

/// The suite of what else is refused, and this.
pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    Ok(suites::JEMALLOC_REFUSALS.run(workspace)?.and(linked_with_another(workspace)?))
}

/// The program, linked with the library that another one was linked with, which has no profiler.
fn linked_with_another(workspace: &Workspace) -> Result<Figure, Error> {
    let library = library(workspace)?;
    // Elsewhere, so that the others are not built once more.
    let target = workspace.target().join("without-profiler");
    let words = ["build", "--locked", "--release", "--quiet", "--bin=start"];
    let mut command = workspace.cargo_beside(NATIVE, &words);
    command.env("CARGO_TARGET_DIR", &target).env("JEMALLOC_OVERRIDE", &library);
    process::run(&mut command, BUILD)?;
    let program = target.join("release/start");
    let said = process::output(&mut workspace.command(&program.to_string_lossy()), RUN)?;
    let line = said.stderr.lines().find(|line| line.starts_with(EXPECTED));
    let is_refused = said.status.code() == Some(1) && line.is_some() && !said.stderr.contains("panicked");
    let figure = match line {
        Some(_) => "built without: refused".to_owned(),
        None => format!("built without: {} and {:?}", said.status, said.stderr),
    };
    Ok(Figure::of(is_refused, figure))
}

/// The one that the build of [`WITHOUT`] has made.
fn library(workspace: &Workspace) -> Result<PathBuf, Error> {
    let words = ["build", "--locked", "--release", "--message-format=json"];
    let said = process::read(&mut workspace.cargo_beside(WITHOUT, &words), BUILD)?;
    let has_run = |line: &&str| {
        line.contains("\"reason\":\"build-script-executed\"") && line.contains("tikv-jemalloc-sys")
    };
    let line = said.lines().find(has_run);
    let directory = line.and_then(|line| Some(line.split_once("\"out_dir\":\"")?.1.split_once('"')?.0));
    let missing = || Error::reader("cargo build", "it tells no directory of tikv-jemalloc-sys".to_owned());
    Ok(PathBuf::from(directory.ok_or_else(missing)?).join("lib/libjemalloc_pic.a"))
}
