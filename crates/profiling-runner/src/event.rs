use std::path::PathBuf;

use allometer_views::ReportName;

use crate::Error;

/// What a runner has done, or could not do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// A report is in the directory, complete.
    Written {
        /// What its files are called.
        name: ReportName,
        /// Its files.
        paths: Vec<PathBuf>,
    },
    /// Old reports, beyond what may stay, were removed; or what a process left that ended while it was writing.
    Removed {
        /// Their files.
        paths: Vec<PathBuf>,
    },
    /// Something failed, and is tried again at the next look. Only a session that is over cannot be read again: then the
    /// runner has ended.
    Failed {
        /// What, and why.
        error: Error,
    },
}
