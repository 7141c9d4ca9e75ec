//! The programs of `consumers/readers`, built and run.

use std::{fs, path::Path, time::Duration};

use crate::{
    error::Error,
    process,
    targets::readers::subject::{Program, Subject},
    workspace::Workspace,
};

const CONSUMER: &str = "consumers/readers";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);
const RUN: Duration = Duration::from_secs(60);

/// An async service while its requests wait.
pub(super) const SERVICE: Program = Program {
    order: &["service::answer::", "service::gather::", "service::load::"],
    crates: &[
        "service",
        "tokio",
        "hyper",
        "hyper_util",
        "http",
        "http_body_util",
        "serde_json",
        "bytes",
        "futures_util",
        "futures_channel",
        "mio",
        "hashbrown",
        "want",
        "httparse",
    ],
    source: Some(("service::load", "let mut rows = vec![b'-'; ROWS_BYTES];")),
    holds: 16 * (224 << 10),
    has_chains: true,
    ..Program::UNKNOWN
};
/// Rust, Lua, Rust.
static LUA: Program = Program {
    order: &["lua::main", "lua_pcallk", "luaV_execute", "lua::keep"],
    crates: &["lua", "mlua", "hashbrown", "rustc_hash", "bstr", "parking_lot"],
    source: Some(("lua::keep", "kept.borrow_mut().push(vec![1; bytes]);")),
    holds: 16 << 16,
    has_chains: true,
    ..Program::UNKNOWN
};
/// The root of its deepest stack is gone, and it says so.
static DEEP: Program = Program {
    order: &["[truncated]", "deep::descend", "deep::descend", "deep::hold"],
    crates: &["deep"],
    source: Some(("deep::hold", "vec![1; bytes]")),
    holds: (1 << 20) + (256 << 10),
    has_chains: true,
    ..Program::UNKNOWN
};
/// A session that saw nothing, or one allocation.
static SMALL: Program = Program { crates: &["small"], ..Program::UNKNOWN };

/// What a profile is called, the program, what it is told, and what is known of it.
const RUNS: [(&str, &str, &[&str], &Program); 5] = [
    ("service", "service", &[], &SERVICE),
    ("lua", "lua", &[], &LUA),
    ("deep", "deep", &[], &DEEP),
    ("empty", "small", &[], &SMALL),
    ("one", "small", &["one"], &SMALL),
];

/// The profile of each run, in `directory`.
pub(super) fn run(workspace: &Workspace, directory: &Path) -> Result<Vec<Subject>, Error> {
    process::run(&mut workspace.cargo_beside(CONSUMER, &["build", "--release", "--locked"]), BUILD)?;
    let built = workspace.target().join("consumers/release");
    RUNS.iter()
        .map(|(name, program, words, about)| {
            // Readers see a file that is gone, as on another machine: for what they do with it there is the demo.
            let copy = directory.join(program);
            fs::copy(built.join(program), &copy)
                .map_err(|source| Error::Write { path: copy.clone(), source })?;
            let mut command = workspace.command(&copy.to_string_lossy());
            command.arg(directory.join(format!("{name}.pb.gz"))).args(*words);
            let ran = process::read(&mut command, RUN);
            fs::remove_file(&copy).map_err(|source| Error::Write { path: copy.clone(), source })?;
            ran.and_then(|_| Subject::read(directory, name, about))
        })
        .collect()
}
