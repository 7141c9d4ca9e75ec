use std::fmt;
use std::io::ErrorKind;
use std::path::PathBuf;

/// What became of the names of one mapping: the answer of [`Symbolizer::symbolize`](crate::Symbolizer::symbolize).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MappingNames {
    /// Nobody asked for a file: no location of the profile is in this mapping, or names were not wanted.
    NotAsked,
    /// Nobody knew a file.
    NoFile,
    /// The file was used.
    LookedUp {
        /// So many locations were looked up.
        locations: usize,
        /// And so many of them have a name from there.
        named: usize,
    },
    /// The file could not be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        kind: ErrorKind,
    },
    /// The file was written to while it was read.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is no program or library, or one of a kind that is not known here.
    NoObject {
        /// The file.
        path: PathBuf,
    },
    /// The file is another build.
    OtherBuild {
        /// The file.
        path: PathBuf,
        /// The mapping's build id.
        expected: String,
        /// The file's.
        found: String,
    },
    /// The mapping or the file has no build id, and nobody has vouched for the file.
    NotVouched {
        /// The file.
        path: PathBuf,
    },
    /// The file has no code where the mapping has some.
    OtherLayout {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for MappingNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => f.write_str("nothing to look up"),
            Self::NoFile => f.write_str("no file"),
            Self::LookedUp { locations, named } => write!(f, "{named} of {locations} locations got names"),
            Self::Unreadable { path, kind } => write!(f, "{}: {kind}", path.display()),
            Self::Changed { path } => write!(f, "{}: it was written to while it was read", path.display()),
            Self::NoObject { path } => write!(f, "{}: it is no program or library", path.display()),
            Self::OtherBuild { path, expected, found } => {
                let (path, expected) = (path.display(), expected.escape_debug());
                write!(f, "{path}: its build id is {found}, the profile's {expected}")
            }
            Self::NotVouched { path } => {
                write!(f, "{}: without a build id nothing says that it is the right one", path.display())
            }
            Self::OtherLayout { path } => write!(f, "{}: it has no code at these places", path.display()),
        }
    }
}
