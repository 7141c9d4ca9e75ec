use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Where an answer goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// `-`.
    Standard,
    File(PathBuf),
}

impl From<OsString> for Output {
    fn from(name: OsString) -> Self {
        if name == "-" { Self::Standard } else { Self::File(name.into()) }
    }
}

impl Output {
    /// Writes all of it. Whoever closes standard output has read enough.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Self::Standard => match write_standard(bytes) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                written => {
                    written.map_err(|source| Error::Write { output: "standard output".to_owned(), source })
                }
            },
            Self::File(path) => write_file(path, bytes)
                .map_err(|source| Error::Write { output: path.display().to_string(), source }),
        }
    }

    /// The name that a format can be told from.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard => None,
            Self::File(path) => Some(path),
        }
    }
}

fn write_standard(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes a new file beside the old one and gives it its name, so that at no time there is half a file. What is no file,
/// such as `/dev/null`, is written to.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays, and what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return OpenOptions::new().write(true).open(&path)?.write_all(bytes);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".allometer-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut new = builder.tempfile_in(directory)?;
    new.write_all(bytes)?;
    if let Some(old) = old {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.persist(&path).map(drop).map_err(|error| error.error)
}
