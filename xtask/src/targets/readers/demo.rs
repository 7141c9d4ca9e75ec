//! The demo with each level of debug information: how well a profile reads depends on it.

use std::{fs, path::Path};

use crate::{
    error::Error,
    targets::{
        demo::Demo,
        readers::subject::{Program, Subject},
    },
    workspace::Workspace,
};

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
