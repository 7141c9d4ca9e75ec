//! What the programs have in common: each writes the profile of its own heap where its first argument says.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use allometer::profile::Profile;

/// Any error: it ends the program.
pub type Answer<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The path that the first argument names.
pub fn path() -> Answer<PathBuf> {
    let path = env::args_os().nth(1).ok_or("say where to write the profile")?;
    Ok(path.into())
}

/// Writes `profile` as pprof.
pub fn write(profile: &Profile, path: &Path) -> io::Result<()> {
    fs::write(path, profile.to_pprof_gzip())
}
