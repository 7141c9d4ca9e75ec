use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use object::ReadCache;

/// A file that somebody found for a mapping of a profile. What is asked of it is read, and no more.
///
/// It is not mapped into memory: nobody stops others from writing into it.
pub(crate) struct FoundFile {
    data: ReadCache<File>,
    version: Version,
}

/// What changes when a file is written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Version {
    length: u64,
    modified: SystemTime,
}

impl FoundFile {
    /// `None` when it is a directory or the like.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        // A pipe would wait for somebody to write into it.
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let file = File::open(path)?;
        let version = Version::of(&file.metadata()?)?;
        Ok(Some(Self { data: ReadCache::new(file), version }))
    }

    /// `None` when it is no object file.
    pub(crate) fn object(&self) -> Option<object::File<'_, &ReadCache<File>>> {
        object::File::parse(&self.data).ok()
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Whether nobody has written to it since it was opened.
    pub(crate) fn stayed_the_same(self) -> io::Result<bool> {
        Ok(Version::of(&self.data.into_inner().metadata()?)? == self.version)
    }
}

impl Version {
    fn of(metadata: &Metadata) -> io::Result<Self> {
        Ok(Self { length: metadata.len(), modified: metadata.modified()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_to_is_another_one() {
        let path = std::env::temp_dir().join(format!("allometer-found-{}", std::process::id()));
        fs::write(&path, "one").unwrap();
        let open = || FoundFile::open(&path).unwrap().unwrap();
        let (first, again) = (open(), open());
        assert_eq!(first.version(), again.version());
        assert!(first.object().is_none() && first.stayed_the_same().unwrap());
        fs::write(&path, "longer").unwrap();
        assert!(!again.stayed_the_same().unwrap());
        fs::remove_file(&path).unwrap();
        assert!(FoundFile::open(&path).is_err());
        assert!(FoundFile::open(&std::env::temp_dir()).unwrap().is_none(), "a directory");
    }
}
