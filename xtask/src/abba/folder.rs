//! A fresh folder with everything that a comparison has used and seen.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};

use crate::error::Error;

/// The folder of one comparison. Nothing in it is ever overwritten.
pub(super) struct Folder(PathBuf);

/// A program as it was when the comparison began: a copy, which later builds do not touch.
pub(super) struct Frozen {
    pub(super) path: PathBuf,
    pub(super) sha256: String,
}

impl Folder {
    /// A folder of its own below `parent`, named by the second.
    pub(super) fn new(parent: &Path) -> Result<Self, Error> {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let path = parent.join(seconds.to_string());
        fs::create_dir_all(parent)
            .and_then(|()| fs::create_dir(&path))
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Copies a program into the folder, as `name`.
    pub(super) fn freeze(&self, program: &Path, name: &str) -> Result<Frozen, Error> {
        let bytes = fs::read(program).map_err(|source| Error::Read { path: program.to_owned(), source })?;
        let sha256: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.0.join(name);
        // With its permissions, so that it can be run.
        fs::copy(program, &path).map_err(|source| Error::Write { path: path.clone(), source })?;
        self.keep(&format!("{name}.sha256"), &format!("{sha256}  {name}\n"))?;
        Ok(Frozen { path, sha256 })
    }

    /// Writes a new file.
    pub(super) fn keep(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.0.join(name);
        let write = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&path)?;
            io::Write::write_all(&mut file, text.as_bytes())
        };
        write().map_err(|source| Error::Write { path: path.clone(), source })
    }
}
