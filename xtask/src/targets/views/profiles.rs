//! The profiles that the views are made of.

use std::{
    fs,
    path::{Path, PathBuf},
};

use allometer_profile::{Metadata, Profile};

use crate::{
    error::Error,
    targets::{demo::Demo, views::wide},
    workspace::Workspace,
};

/// Profiles that others wrote, which the command line is tested with.
const OTHERS: &str = "crates/profiling-cli/tests/files";

/// The file of another writer's profile.
pub(super) fn other(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.path(OTHERS).join(name)
}

/// The demo's profiles: of its middle, and of its end.
pub(super) fn demo(workspace: &Workspace) -> Result<[PathBuf; 2], Error> {
    let demo = Demo::build(workspace, "line-tables-only")?;
    demo.run(workspace)?;
    Ok(["before.pb.gz", "heap.pb.gz"].map(|name| demo.written(name)))
}

/// The same of what is made up: a half of it, and all.
pub(super) fn wide(directory: &Path) -> Result<[PathBuf; 2], Error> {
    let [half, all] = wide::profiles();
    Ok([written(directory, "wide-half", &half)?, written(directory, "wide", &all)?])
}

/// A session in which nothing happened.
pub(super) fn empty(directory: &Path) -> Result<PathBuf, Error> {
    let metadata = Metadata { live: true, sample_interval: 1 << 19, ..Metadata::default() };
    written(directory, "empty", &Profile { metadata, ..Profile::default() })
}

/// Where a group of files goes, below the directory of what is built; made if it is not there.
pub(super) fn directory(workspace: &Workspace, name: &str) -> Result<PathBuf, Error> {
    let path = workspace.target().join("views").join(name);
    match fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Write { path, source }),
    }
}

fn written(directory: &Path, name: &str, profile: &Profile) -> Result<PathBuf, Error> {
    let path = directory.join(format!("{name}.pb.gz"));
    match fs::write(&path, profile.to_pprof_gzip()) {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Write { path, source }),
    }
}
