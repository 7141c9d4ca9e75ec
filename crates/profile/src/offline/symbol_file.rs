use std::path::PathBuf;

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
