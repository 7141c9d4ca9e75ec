use std::{io, path::PathBuf, time::Duration};

use allometer_profile::SourceError;

/// Why a runner could not start, or a report not be written.
///
/// Each is one line that says where and why; control characters of names are escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A duration of the settings is not within its bounds.
    #[error("{setting} is {value:?}: expected {min:?} to {max:?}")]
    DurationOutOfRange {
        /// The setting's name.
        setting: &'static str,
        /// What was asked for.
        value: Duration,
        /// The shortest.
        min: Duration,
        /// The longest.
        max: Duration,
    },
    /// A fraction of the settings is not within its bounds.
    #[error("{setting} is {value}: expected {min} to {max}")]
    FractionOutOfRange {
        /// The setting's name.
        setting: &'static str,
        /// What was asked for.
        value: f64,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
    },
    /// A number of the settings is zero.
    #[error("{setting} is 0: expected at least 1")]
    Zero {
        /// The setting's name.
        setting: &'static str,
    },
    /// No format was chosen, so that there is nothing to write.
    #[error("formats are none: expected at least one")]
    NoFormat,
    /// A signal that cannot be used so.
    #[error("{setting} is {signal}: expected {expected}")]
    Signal {
        /// The setting's name.
        setting: &'static str,
        /// The signal's number.
        signal: i32,
        /// Which ones can.
        expected: &'static str,
    },
    /// The system did not let a signal be listened to.
    #[error("signal {signal} cannot be listened to: {cause}")]
    Listen {
        /// The signal's number.
        signal: i32,
        /// What the system said.
        cause: io::Error,
    },
    /// The runner's thread could not be started.
    #[error("the thread that writes reports cannot be started: {cause}")]
    Thread {
        /// What the system said.
        cause: io::Error,
    },
    /// The C library has no room for what is to be done at the program's exit.
    #[error("the C library does not take a function for the program's exit")]
    AtExit,
    /// The directory of reports cannot be opened or made.
    #[error("{path:?}: expected a directory, or none in a directory that is there: {cause}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The directory belongs to somebody else.
    #[error("{path:?}: the directory belongs to user {owner}: expected {user}, who runs this program")]
    NotOwned {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Whose it should be.
        user: u32,
    },
    /// Others can write into the directory, and could put links or files of their own there.
    #[error(
        "{path:?}: the directory's mode is {mode:03o}: expected one without write permission for group and others"
    )]
    WritableByOthers {
        /// The directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A file, or the directory's list of them, could not be worked with. Of the report that it was for there is no
    /// file at all.
    #[error("{path:?}: cannot {action}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What was to be done with it.
        action: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// The variable `ALLOMETER` asks for something that cannot be.
    #[error("{cause}")]
    Environment {
        /// The word, and what was expected; or the bound of a value.
        cause: allometer_core::Error,
    },
    /// The session that the variable `ALLOMETER` asks for could not be started.
    #[error("the session cannot be started: {cause}")]
    Start {
        /// What it said.
        cause: allometer_core::Error,
    },
    /// A file that is called like a log of giant requests is none. It is left as it is.
    #[error("{path:?}: {cause}")]
    GiantLog {
        /// The file.
        path: PathBuf,
        /// What was expected of it.
        cause: String,
    },
    /// The session could not be read.
    #[error("the session cannot be read: {cause}")]
    Session {
        /// What it said.
        cause: SourceError,
    },
    /// A view of the report could not be made.
    #[error("the report cannot be drawn: {cause}")]
    View {
        /// Why.
        cause: allometer_views::Error,
    },
    /// Something that the runner called has panicked. It goes on.
    #[error("a panic in {place}: {}", .message.escape_debug())]
    Panicked {
        /// What was called.
        place: &'static str,
        /// What the panic said.
        message: String,
    },
}

impl From<SourceError> for Error {
    fn from(cause: SourceError) -> Self {
        Self::Session { cause }
    }
}
