use std::fmt;

use crate::Limit;

/// Why bytes could not be read as a heap profile.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No data at all, or nothing but blank lines.
    #[error("there is nothing in it")]
    Empty,
    /// A line of a text is not as it should be.
    #[error("{place}: expected {expected}, found {found:?}")]
    Text {
        /// The line.
        place: Place,
        /// What should be there.
        expected: &'static str,
        /// The beginning of the line.
        found: String,
    },
    /// The data starts like gzip and could not be unpacked.
    #[error("the gzip data cannot be unpacked")]
    Gzip(#[source] std::io::Error),
    /// The data is not a well-formed protobuf message of the pprof format.
    #[error("{place}: not a pprof message: {reason}")]
    Message {
        /// Where it is not.
        place: Place,
        /// What the protobuf decoder found.
        reason: String,
    },
    /// The data is not a log of giant requests.
    #[error("not a log of giant requests: expected {expected}")]
    GiantLog {
        /// What one has.
        expected: &'static str,
    },
    /// Two profiles that should be of one session are not, or do not know.
    #[error("the profiles are not of one session, or were written by another program")]
    OtherSession,
    /// Two profiles of one session say what was allocated since different moments.
    #[error("the profiles count from different moments: there was a fresh start in between")]
    OtherStart,
    /// Of two profiles of one session the earlier one is the later.
    #[error("the earlier profile is of a later moment")]
    WrongOrder,
    /// The data takes more than a limit allows.
    #[error("{place}: {limit}")]
    TooLarge {
        /// Where that shows.
        place: Place,
        /// The limit.
        limit: Limit,
    },
    /// The string table has to begin with the empty string.
    #[error("the string table does not begin with the empty string")]
    StringTable,
    /// A text refers to a string that does not exist.
    #[error("{place}: string {index} does not exist, the table has {len}")]
    NoSuchString {
        /// Where the reference is.
        place: Place,
        /// The index asked for.
        index: i64,
        /// Number of strings in the table.
        len: usize,
    },
    /// A reference to a mapping, function or location that does not exist.
    #[error("{place}: {table} id {id} does not exist")]
    NoSuchId {
        /// Where the reference is.
        place: Place,
        /// What it refers to.
        table: Table,
        /// The id asked for.
        id: u64,
    },
    /// Ids start at 1.
    #[error("{table} number {position} has id 0")]
    ZeroId {
        /// The table.
        table: Table,
        /// Position of the entry in the table, from 0.
        position: usize,
    },
    /// Two entries of a table have the same id.
    #[error("{table} id {id} occurs twice")]
    DuplicateId {
        /// The table.
        table: Table,
        /// The id.
        id: u64,
    },
    /// A table has more entries than this crate can number.
    #[error("the {table} table has {len} entries, at most {max} are possible")]
    TooMany {
        /// The table.
        table: Table,
        /// Number of entries.
        len: usize,
        /// The bound.
        max: usize,
    },
    /// A sample has not one value for each sample type.
    #[error("sample {sample} has {values} values for {types} sample types")]
    ValueCount {
        /// Position of the sample, from 0.
        sample: usize,
        /// Number of its values.
        values: usize,
        /// Number of sample types.
        types: usize,
    },
    /// A line number outside 32 bits.
    #[error("{place}: line number {line} is out of range")]
    LineOutOfRange {
        /// Where it is.
        place: Place,
        /// The number.
        line: i64,
    },
    /// A sample type of heap profiles with an unexpected unit.
    #[error("sample type {name} is in {found:?}, expected {expected:?}")]
    Unit {
        /// The sample type.
        name: &'static str,
        /// Its unit in the profile, cut where it is long.
        found: String,
        /// Its unit in every heap profile.
        expected: &'static str,
    },
    /// A sample type of heap profiles is listed twice.
    #[error("sample type {name} is listed twice")]
    DuplicateType {
        /// The sample type.
        name: &'static str,
    },
    /// None of the sample types is one of a heap profile.
    #[error("this is not a heap profile, its sample types are: {}", found.join(", ").escape_debug())]
    NotHeap {
        /// The sample types of the profile: the first ones, cut where they are long.
        found: Vec<String>,
    },
}

/// A table of a pprof file whose entries have ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Table {
    /// Loaded code.
    Mapping,
    /// Functions.
    Function,
    /// Places in code.
    Location,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mapping => "mapping",
            Self::Function => "function",
            Self::Location => "location",
        })
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The sample at this position, from 0.
    Sample(usize),
    /// The sample type at this position, from 0.
    SampleType(usize),
    /// The comment at this position, from 0.
    Comment(usize),
    /// The string at this position in the string table, from 0.
    Text(usize),
    /// The live objects at this position, from 0.
    LiveObjects(usize),
    /// The entry of a table with this id.
    Entry(Table, u64),
    /// The entry of a table at this position, from 0.
    Row(Table, usize),
    /// The line with this number, from 1.
    Line(usize),
    /// So many bytes from the beginning, once it is decompressed.
    Byte(u64),
    /// The fields of the profile itself.
    Header,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample(position) => write!(f, "sample {position}"),
            Self::SampleType(position) => write!(f, "sample type {position}"),
            Self::Comment(position) => write!(f, "comment {position}"),
            Self::Text(position) => write!(f, "string {position}"),
            Self::Row(table, position) => write!(f, "{table} number {position}"),
            Self::LiveObjects(position) => write!(f, "live objects {position}"),
            Self::Line(number) => write!(f, "line {number}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Entry(table, id) => write!(f, "{table} {id}"),
            Self::Header => f.write_str("profile header"),
        }
    }
}
