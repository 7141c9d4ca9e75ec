//! The flamegraphs, in a browser: `xtask/views/picture.mjs` looks at them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::{
    error::Error,
    targets::{
        line::Figure,
        looked,
        scripts::Scripts,
        views::{profiles, program::Program},
    },
    workspace::Workspace,
};

/// How many things the script looks at: fewer are too few.
const CHECKS: usize = 20;

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let program = Program::build(workspace)?;
    let files = profiles::directory(workspace, "flamegraphs")?;
    let pictures = profiles::directory(workspace, "pictures")?;
    let [before, after] = profiles::demo(workspace)?;
    let go = profiles::other(workspace, "go.pb.gz");
    let [earlier, later] = [&before, &after].map(|path| path.to_string_lossy());
    let subjects = [
        describe(&program, &files, "demo", &[], &after, "punctuated")?,
        describe(&program, &files, "go", &[], &go, "index")?,
        describe(&program, &files, "growth", &["--before", &earlier], &after, "punctuated")?,
        // The other way round, all of that goes.
        describe(&program, &files, "shrinking", &["--before", &later], &before, "punctuated")?,
    ];
    let scripts = Scripts::install(workspace, &[])?;
    looked::figure(scripts.script("views/picture.mjs").arg(pictures).args(subjects), CHECKS)
}

/// Writes a flamegraph of a profile, of what changed if the words say so, and a description for the script.
fn describe(
    program: &Program,
    directory: &Path,
    name: &str,
    words: &[&str],
    profile: &Path,
    search: &str,
) -> Result<PathBuf, Error> {
    let [svg, folded, to] = ["svg", "folded", "json"].map(|end| directory.join(format!("{name}.{end}")));
    program.write(&[&["flamegraph"], words].concat(), &[profile], &svg)?;
    program.write(&["folded"], &[profile], &folded)?;
    let differs = !words.is_empty();
    let description =
        json!({ "name": name, "svg": svg, "folded": folded, "search": search, "differs": differs });
    match fs::write(&to, description.to_string()) {
        Ok(()) => Ok(to),
        Err(source) => Err(Error::Write { path: to, source }),
    }
}
