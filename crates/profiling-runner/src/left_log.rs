//! The log of giant requests that a process left which has ended.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
    time::SystemTime,
};

use allometer_profile::{
    Metadata, Profile, ProfileBuilder, SymbolFile, Symbolization, Symbolizer,
    giant_log_layout::{REQUESTS, TOLD, WORDS},
};
use allometer_views::ProgramName;
use rustix::fs::{FlockOperation, flock};

use crate::{Error, directory::Directory, giant_file::GiantFile};

/// Bytes of a log.
const BYTES: u64 = WORDS as u64 * 8;

/// A log whose session is over, since nobody holds its lock but this.
#[derive(Debug)]
pub(crate) struct LeftLog {
    name: String,
    /// What is in it; `None` where nobody has to be told of anything.
    pub(crate) profile: Option<Profile>,
    /// Kept open: no other runner takes it.
    open: File,
}

/// The logs of a program that are in the directory, those of processes that run among them.
///
/// # Errors
///
/// [`Error::File`].
pub(crate) fn list(directory: &Directory, program: &ProgramName) -> Result<Vec<GiantFile>, Error> {
    let names = directory.names()?;
    let files = names.iter().filter_map(|name| GiantFile::read(name));
    Ok(files.filter(|file| file.program == *program).collect())
}

impl LeftLog {
    /// The log, if it is a regular file of this user's, and its session is over.
    ///
    /// # Errors
    ///
    /// [`Error::File`]; [`Error::GiantLog`] if it is something else, which then stays as it is.
    pub(crate) fn open(directory: &Directory, file: &GiantFile) -> Result<Option<Self>, Error> {
        let name = file.to_string();
        // One that is just being made is empty, and has its lock before it has a length.
        if directory.own_size(&name).is_none_or(|size| size == 0) {
            return Ok(None);
        }
        let failed = |cause| directory.failed(&name, "read the file", cause);
        let open = match directory.open_file(&name) {
            Ok(open) => open,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(failed(cause)),
        };
        let is_over = flock(&open, FlockOperation::NonBlockingLockExclusive).is_ok();
        // Another runner may have reported and removed it meanwhile.
        if !is_over || !directory.is(&name, &open) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        (&open).take(BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        let profile = read(&bytes)
            .map_err(|cause| Error::GiantLog { path: directory.path_of(&name), cause: cause.to_string() })?;
        Ok(Some(Self { name, profile, open }))
    }

    /// Removes it, and answers its path.
    ///
    /// # Errors
    ///
    /// [`Error::File`].
    pub(crate) fn remove(self, directory: &Directory) -> Result<PathBuf, Error> {
        let Self { name, open, .. } = self;
        // A process with this number may have begun one of its own.
        if directory.is(&name, &open) {
            directory.remove(&name).map_err(|cause| directory.failed(&name, "remove the file", cause))?;
        }
        Ok(directory.path_of(&name))
    }
}

/// The time of the last request in a log, where that is known.
pub(crate) fn time(log: &Profile) -> Option<SystemTime> {
    log.metadata.start?.checked_add(log.metadata.duration)
}

/// The profile that a log is, if there is a request in it that nobody was told of.
fn read(bytes: &[u8]) -> Result<Option<Profile>, allometer_profile::Error> {
    // The process was ended before its log was set up.
    if bytes.len() as u64 == BYTES && bytes.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let profile = Profile::from_giant_log(bytes)?;
    let words = bytes.as_chunks::<8>().0;
    let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
    Ok((word(REQUESTS) > word(TOLD)).then_some(profile))
}

/// Gives the stacks of a log names, as far as they are in this program's own file or in a library that it has loaded, too,
/// and that is still the same: what paths a log has is not for it to choose.
pub(crate) fn symbolize(profile: &mut Profile, symbolizer: &mut Symbolizer) {
    let loaded = ProfileBuilder::new(Metadata::default()).finish(&mut Symbolizer::with(Symbolization::None));
    let is_loaded = |path: &str| loaded.mappings.iter().any(|mapping| mapping.path == path);
    symbolizer.symbolize(profile, |mapping| is_loaded(&mapping.path).then(|| SymbolFile::new(&mapping.path)));
}
