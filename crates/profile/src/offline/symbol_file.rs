use std::io;
use std::path::PathBuf;

use crate::symbols::found_file::FoundFile;
use crate::symbols::object_file::build_id;

/// A file that may have the names of a mapping: what [`Symbolizer::symbolize`](crate::Symbolizer::symbolize) is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolFile {
    pub(super) path: PathBuf,
    pub(super) vouched: bool,
    pub(super) replacing: bool,
}

impl SymbolFile {
    /// The file at `path`, if its build id is that of the mapping, for locations that have no name.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), vouched: false, replacing: false }
    }

    /// The build id of the file in lower-case hexadecimal; none if it has none, or is no program or library.
    ///
    /// # Errors
    ///
    /// What the system says if the file cannot be read.
    pub fn build_id(&self) -> io::Result<Option<String>> {
        let file = FoundFile::open(&self.path)?;
        Ok(file.as_ref().and_then(FoundFile::object).and_then(|object| build_id(&object)))
    }

    /// Also where the mapping or the file has no build id: somebody knows that it is the right one. A file with another
    /// build id is never used.
    #[must_use]
    pub fn vouched(self) -> Self {
        Self { vouched: true, ..self }
    }

    /// Also for locations that have a name: that of the file takes its place.
    #[must_use]
    pub fn replacing(self) -> Self {
        Self { replacing: true, ..self }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_its_build_id() {
        let of = |path: PathBuf| SymbolFile::new(path).build_id();
        let own = of(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(own, crate::mappings::read()[0].mapping.build_id);
        assert!(own.is_some());
        assert_eq!(of(PathBuf::from(env!("CARGO_MANIFEST_DIR"))).unwrap(), None, "a directory");
        assert_eq!(of(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap(), None);
        assert!(of(PathBuf::from("/no such file")).is_err());
    }
}
