use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use allometer_profile::{Mapping, SymbolFile};
use walkdir::WalkDir;

use crate::error::Error;

/// The files that names are looked up in: those that somebody named, and those below directories that somebody named.
#[derive(Default)]
pub(crate) struct SymbolFiles {
    /// By the last part of the path. A mapping without a build id is known by it, and the file's owner vouches.
    binaries: BTreeMap<String, PathBuf>,
    by_build_id: BTreeMap<String, PathBuf>,
    directories: Vec<PathBuf>,
}

impl SymbolFiles {
    pub(crate) fn of(binaries: &[PathBuf], directories: &[PathBuf]) -> Result<Self, Error> {
        let mut files = Self { directories: directories.to_vec(), ..Self::default() };
        for directory in directories {
            for entry in WalkDir::new(directory).sort_by_file_name() {
                let entry = entry.map_err(|error| unreadable(directory, error.into()))?;
                // What cannot be read, or is no program, has no names.
                if entry.file_type().is_file()
                    && let Ok(Some(build_id)) = SymbolFile::new(entry.path()).build_id()
                {
                    files.by_build_id.entry(build_id).or_insert_with(|| entry.path().to_owned());
                }
            }
        }
        for binary in binaries {
            if let Some(build_id) =
                SymbolFile::new(binary).build_id().map_err(|error| unreadable(binary, error))?
            {
                files.by_build_id.insert(build_id, binary.clone());
            }
            if let Some(name) = binary.file_name() {
                files.binaries.insert(name.to_string_lossy().into_owned(), binary.clone());
            }
        }
        Ok(files)
    }

    /// The file for a mapping: by its build id, in a directory also as debuggers lay them out
    /// (`.build-id/ab/cdef.debug`); else the named one that is called the same.
    pub(crate) fn find(&self, mapping: &Mapping) -> Option<SymbolFile> {
        let by_build_id =
            mapping.build_id.as_deref().and_then(|build_id| self.of_build(&build_id.to_ascii_lowercase()));
        by_build_id.or_else(|| {
            let name = mapping.path.rsplit('/').next()?;
            self.binaries.get(name).map(|path| SymbolFile::new(path).vouched())
        })
    }

    fn of_build(&self, build_id: &str) -> Option<SymbolFile> {
        if let Some(path) = self.by_build_id.get(build_id) {
            return Some(SymbolFile::new(path));
        }
        // A file of debug information need not have the note itself.
        let is_hexadecimal = build_id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (first, rest) = build_id.split_at_checked(2).filter(|_| is_hexadecimal)?;
        let places = self
            .directories
            .iter()
            .map(|directory| directory.join(".build-id").join(first).join(format!("{rest}.debug")));
        places.into_iter().find(|path| path.is_file()).map(|path| SymbolFile::new(path).vouched())
    }
}

fn unreadable(path: &Path, source: io::Error) -> Error {
    Error::Read { input: path.display().to_string(), source }
}
