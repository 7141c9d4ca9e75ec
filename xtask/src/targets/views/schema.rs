//! JSON: another program holds it against the schema that the documents have.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

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

const SCHEMA: &str = "docs/profile.schema.json";

/// Makes right JSON wrong.
type Spoil = fn(&mut Value);

/// What makes it wrong, each by one change.
const FAULTS: [(&str, Spoil); 4] = [
    ("another-version", |profile| profile["schema"] = json!("allometer-profile/0")),
    ("a-figure-is-text", |profile| profile["total"]["live"]["bytes"] = json!("much")),
    ("no-sites", |profile| drop(profile.as_object_mut().and_then(|it| it.remove("sites")))),
    ("a-frame-before-the-first", |profile| profile["sites"][0]["stack"] = json!([-1])),
];

pub(super) fn look(workspace: &Workspace) -> Result<Figure, Error> {
    let program = Program::build(workspace)?;
    let directory = profiles::directory(workspace, "json")?;
    let [_, demo] = profiles::demo(workspace)?;
    let [_, wide] = profiles::wide(&directory)?;
    let mut right = Vec::new();
    for (name, profile) in [
        ("demo", demo),
        ("go", profiles::other(workspace, "go.pb.gz")),
        ("jemalloc", profiles::other(workspace, "jemalloc.heap")),
        ("empty", profiles::empty(&directory)?),
        ("wide", wide),
    ] {
        let to = directory.join(format!("{name}.json"));
        program.write(&["convert"], &[&profile], &to)?;
        right.push(to);
    }
    let wrong = spoilt(&right[1], &directory)?;
    let scripts = Scripts::install(workspace, &[])?;
    let mut command = scripts.script("views/schema.py");
    command.arg(workspace.path(SCHEMA)).args(&right).arg("--").args(&wrong);
    looked::figure(&mut command, right.len() + wrong.len())
}

/// Copies of `original`, each with a fault.
fn spoilt(original: &Path, directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let text =
        fs::read_to_string(original).map_err(|source| Error::Read { path: original.to_owned(), source })?;
    let mut paths = Vec::new();
    for (name, spoil) in FAULTS {
        let mut profile: Value = serde_json::from_str(&text)
            .map_err(|source| Error::Json { command: "allometer convert".to_owned(), source })?;
        spoil(&mut profile);
        let path = directory.join(format!("{name}.json"));
        fs::write(&path, profile.to_string())
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        paths.push(path);
    }
    Ok(paths)
}
