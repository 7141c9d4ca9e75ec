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
    /// Old reports, beyond what may stay, were removed; or what a process left that has ended: files that it was writing, and its
    /// log of giant requests, once it is reported.
    Removed {
        /// Their files.
        paths: Vec<PathBuf>,
    },
    /// Something failed, and is tried again, later each time until it goes well. Only a session that is over cannot be read again: then the
    /// runner has ended.
    Failed {
        /// What, and why.
        error: Error,
    },
}
