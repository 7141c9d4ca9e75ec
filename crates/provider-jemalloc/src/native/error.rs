use std::error::Error;

use allometer_profile::SourceError;

/// Why jemalloc's own profiler cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JemallocError {
    /// The library has no profiler in it.
    #[error(
        "jemalloc was built without its profiler: expected the feature `profiling` of tikv-jemallocator, and no JEMALLOC_OVERRIDE"
    )]
    NotBuilt,
    /// The profiler was not switched on when the program started.
    #[error(
        "jemalloc's profiler is off since the program's start: expected `prof:true` in the symbol _rjem_malloc_conf or the variable _RJEM_MALLOC_CONF"
    )]
    Off,
    /// It runs already, by its configuration or for somebody else.
    #[error(
        "jemalloc's profiler is active already: expected `prof_active:false` beside `prof:true`, or that it is attached to"
    )]
    AlreadyActive,
    /// It does not run, or the session of this handle is over.
    #[error("jemalloc's profiler is not active")]
    Inactive,
    /// It samples at powers of two.
    #[error("sample_interval is {interval} bytes: expected a power of two from 1 to {max}")]
    Interval {
        /// What was asked for.
        interval: u64,
        /// The largest, in bytes.
        max: u64,
    },
    /// Somebody else holds the profiler, and does not let it go.
    #[error("jemalloc's profiler is in use: expected that it is free within {seconds} seconds")]
    Busy {
        /// How long it was waited for.
        seconds: u64,
    },
    /// jemalloc refused a request.
    #[error("jemalloc refused `{key}`: {reason}")]
    Control {
        /// The name of what was asked for.
        key: &'static str,
        /// What it said.
        reason: String,
    },
    /// The profile could not be had: it goes through a temporary file.
    #[error("jemalloc's profile cannot be dumped into a temporary file: {reason}")]
    Dump {
        /// What failed, and where.
        reason: String,
    },
    /// The profile is not as expected.
    #[error("jemalloc's profile cannot be read: {cause}")]
    Read {
        /// What is wrong with it.
        cause: allometer_profile::Error,
    },
}

impl From<JemallocError> for SourceError {
    fn from(error: JemallocError) -> Self {
        match error {
            JemallocError::AlreadyActive => Self::AlreadyActive,
            JemallocError::Inactive => Self::Inactive,
            JemallocError::Interval { interval, max } => {
                Self::Interval { interval, expected: format!("a power of two from 1 to {max}") }
            }
            error => Self::failed(Box::<dyn Error + Send + Sync>::from(error)),
        }
    }
}
