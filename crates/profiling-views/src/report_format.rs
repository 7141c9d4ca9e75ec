use std::fmt;

/// What a file of a report holds; it decides how the file's name ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReportFormat {
    /// The profile in pprof's format, compressed.
    Pprof,
    /// A picture: see [`flamegraph`](fn@crate::flamegraph).
    Flamegraph,
    /// Tables: [`top`](fn@crate::top), and [`diff`](fn@crate::diff) since the report before.
    Text,
    /// A page for a browser, one file that needs nothing else.
    Html,
}

impl ReportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Pprof, Self::Flamegraph, Self::Text, Self::Html];

    /// How a file's name ends, without the dot in front.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Pprof => "pb.gz",
            Self::Flamegraph => "svg",
            Self::Text => "txt",
            Self::Html => "html",
        }
    }

    /// The format of a name that ends in this extension.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }
}

impl fmt::Display for ReportFormat {
    /// The extension.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}
