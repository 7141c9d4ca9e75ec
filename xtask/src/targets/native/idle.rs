//! What mimalloc's hooks cost where nothing uses them.

use std::{fs, process::Command, time::Duration};

use crate::{
    error::Error,
    process,
    targets::{
        callgrind::{self, Counts},
        line::Figure,
        native::mimalloc::Build,
    },
    workspace::Workspace,
};

/// How long a run may take under callgrind.
const RUN: Duration = Duration::from_secs(10 * 60);
/// What is parsed.
const SOURCES: &str = "crates/profile/src";
/// How often.
const TIMES: u64 = 2;
/// The most that they may add, of all instructions.
const LIMIT: f64 = 0.0025;

/// The instructions of a real program, against the same without hooks.
pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let [without, coarse, fine] = [Build::WithoutHooks, Build::AsItComes, Build::EachRequest]
        .map(|build| instructions(workspace, build));
    let without = without?;
    let [coarse, fine] = [coarse? / without - 1.0, fine? / without - 1.0];
    let figure = format!(
        "{:.3} % as it comes, {:.2} % where it looks at each request, of {without:.0} instructions",
        100.0 * coarse,
        100.0 * fine
    );
    Ok(Figure::of(coarse <= LIMIT, figure))
}

/// Those of parsing everything once.
fn instructions(workspace: &Workspace, build: Build) -> Result<f64, Error> {
    let program = build.program(workspace, "parse")?;
    let out = workspace.target().join("native-idle.out");
    let count = |times: u64| -> Result<f64, Error> {
        let mut command: Command = callgrind::command(&out);
        command.arg(program.get_program()).arg(workspace.path(SOURCES)).arg(times.to_string());
        process::read(&mut command, RUN)?;
        let text = fs::read_to_string(&out).map_err(|source| Error::Read { path: out.clone(), source })?;
        let counts = Counts::read(&text)
            .ok_or_else(|| Error::NotUnderstood { path: out.clone(), what: "callgrind's output" })?;
        Ok(counts.total() as f64)
    };
    Ok((count(2 * TIMES)? - count(TIMES)?) / TIMES as f64)
}
