use std::error::Error;

/// Why a source could not be started or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It was stopped, or never ran.
    #[error("the session is not active")]
    Inactive,
    /// It runs already; there is at most one in a process.
    #[error("a session is already active")]
    AlreadyActive,
    /// Two moments are not of one run of one source.
    #[error("the moments belong to different sessions")]
    OtherSession,
    /// Of two moments the earlier one is the later.
    #[error("the earlier moment was taken after the later one")]
    WrongOrder,
    /// The source cannot sample at this interval.
    #[error("sample_interval is {interval} bytes: expected {expected}")]
    Interval {
        /// What was asked for, in bytes.
        interval: u64,
        /// What it can.
        expected: String,
    },
    /// Something else, which the source says in one line.
    #[error("{cause}")]
    Failed {
        /// What it said.
        cause: Box<dyn Error + Send + Sync>,
    },
}

impl SourceError {
    /// Of what a source has for itself.
    pub fn failed(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed { cause: cause.into() }
    }
}
