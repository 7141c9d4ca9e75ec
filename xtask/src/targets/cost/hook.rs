//! The line `hook`: what the four calls of the allocator consist of, as a table that a review sees change.

use std::{fmt::Write, fs, path::Path, process::Command, time::Duration};

use crate::{
    error::Error,
    process,
    targets::{
        bench::{self, Bench, Build, Program},
        cost::mix::{COLUMNS, Mix},
        line::Figure,
    },
    workspace::Workspace,
};

/// Where the table is, below the root.
const TABLE: &str = "benches/hook.txt";
const FUNCTIONS: [&str; 4] = ["alloc", "alloc_zeroed", "realloc", "dealloc"];
const ABOUT: &str = "\
# What the four calls of the global allocator consist of, over each provider alone and with the sampler in front of
# it: instructions by kind, all ways through the function together. `cargo xtask targets cost hook` compares,
# `cargo xtask hook` writes it anew.
";

/// Whether the compiled calls are those of the table.
pub(super) fn compare(bench: &Bench) -> Result<Figure, Error> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Figure::not_run("the table is of x86-64"));
    }
    let table = bench.workspace().read(TABLE)?;
    let (compiler, rows) = (compiler()?, rows(bench)?);
    let start = format!("{} ", bench.name());
    let held: Vec<&str> = table.lines().filter(|line| line.starts_with(&start)).collect();
    let different: Vec<String> =
        rows.lines().filter(|row| !held.contains(row)).map(|row| format!("\n     {row}")).collect();
    if different.is_empty() && held.len() == rows.lines().count() {
        return Ok(Figure::of(true, "all the same".into()));
    }
    if !table.lines().any(|line| line == compiler) {
        return Ok(Figure::not_run(&format!(
            "different by now, but {TABLE} is of another compiler than {compiler}"
        )));
    }
    Ok(Figure::of(false, format!("not in {TABLE} ({COLUMNS}){}", different.concat())))
}

/// Writes the table anew.
pub(crate) fn write(workspace: &Workspace) -> Result<(), Error> {
    let mut table = format!("{ABOUT}{}\n{:<31}{COLUMNS}\n", compiler()?, "");
    for provider in bench::providers(workspace)? {
        let bench = Bench::over(workspace, &provider);
        bench.build(Build::Shipped)?;
        table.push_str(&rows(&bench)?);
    }
    let path = workspace.path(TABLE);
    fs::write(&path, table).map_err(|source| Error::Write { path, source })
}

/// The rows of one provider.
fn rows(bench: &Bench) -> Result<String, Error> {
    let mut rows = String::new();
    let programs = [("alone", Program::Bare), ("sampled", Program::Profiled)]
        .map(|(name, program)| (name, bench.path(program)));
    for function in FUNCTIONS {
        for (name, path) in &programs {
            let mix = mix(path, function)?;
            let _ = writeln!(rows, "{:<9}{function:<13}{name:<9}{mix}", bench.name());
        }
    }
    Ok(rows)
}

fn mix(path: &Path, function: &str) -> Result<Mix, Error> {
    let file = fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let wrong = |source| Error::Object { path: path.to_owned(), source };
    let object = object::File::parse(&*file).map_err(wrong)?;
    let name = format!("::hook::{function}");
    let mix = Mix::of(&object, &name).map_err(wrong)?;
    mix.ok_or_else(|| Error::NoFunction { path: path.to_owned(), name })
}

/// The compiler, as a line of the table names it.
fn compiler() -> Result<String, Error> {
    let version = process::read(Command::new("rustc").arg("--version"), Duration::from_secs(60))?;
    Ok(format!("# {}", version.trim_end()))
}
