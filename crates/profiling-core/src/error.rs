//! What can go wrong when a session is configured, started or read.

use std::path::PathBuf;

/// Why a session could not be configured, started or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The sample interval is not within its bounds, in bytes.
    #[error("sample_interval is {interval} bytes: expected 1 to {max}")]
    IntervalOutOfRange {
        /// What was asked for.
        interval: u64,
        /// The largest interval, in bytes.
        max: u64,
    },
    /// The stack depth is not within its bounds, in frames.
    #[error("max_depth is {depth} frames: expected 1 to {max}")]
    DepthOutOfRange {
        /// What was asked for.
        depth: usize,
        /// The largest depth, in frames.
        max: usize,
    },
    /// The bound on sites is not within its own bounds.
    #[error("max_sites is {sites}: expected 1 to {max}")]
    SitesOutOfRange {
        /// What was asked for.
        sites: usize,
        /// The largest bound.
        max: usize,
    },
    /// The bound on live samples is not within its own bounds.
    #[error("max_live_samples is {samples}: expected 1 to {max}")]
    LiveSamplesOutOfRange {
        /// What was asked for.
        samples: usize,
        /// The largest bound.
        max: usize,
    },
    /// The bound on tags is not within its own bounds.
    #[error("max_tags is {tags}: expected 0 to {max}")]
    TagsOutOfRange {
        /// What was asked for.
        tags: usize,
        /// The largest bound.
        max: usize,
    },
    /// The limit of giant requests is not within its bounds, in bytes.
    #[error("giant_limit is {limit} bytes: expected {min} to {max}")]
    GiantLimitOutOfRange {
        /// What was asked for.
        limit: u64,
        /// The smallest limit, in bytes.
        min: u64,
        /// The largest limit, in bytes.
        max: u64,
    },
    /// Something was said of giant requests, but not which ones they are.
    #[error("giant requests have no limit: expected giant_limit with the rest")]
    NoGiantLimit,
    /// The log of giant requests could not be made.
    #[error("{}: the log of giant requests cannot be made: {reason}", .path.display())]
    GiantFile {
        /// Where it was to be.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The log of giant requests is not what was written there.
    #[error("the log of giant requests was changed by somebody else: {reason}")]
    GiantLog {
        /// What is wrong with it.
        reason: String,
    },
    /// A word of the environment variable that is not understood.
    #[error("{variable}: `{}`: expected {expected}", .word.escape_debug())]
    Environment {
        /// The variable's name.
        variable: &'static str,
        /// The word as it stands there.
        word: String,
        /// What was expected instead.
        expected: String,
    },
    /// No `SamplingAllocator` is the program's global allocator.
    #[error("the sampling allocator is not installed: declare one as #[global_allocator]")]
    NotInstalled,
    /// A session is running already; there is at most one in a process.
    #[error("a session is already active")]
    AlreadyActive,
    /// The session of this handle was stopped, or belongs to the parent of this forked process.
    #[error("the session is not active")]
    Inactive,
    /// The two snapshots are of different sessions.
    #[error("the snapshots belong to different sessions")]
    OtherSession,
    /// The first snapshot of a span is later than the second.
    #[error("the earlier snapshot was taken after the later one")]
    WrongOrder,
    /// More measurements at once than there is room for.
    #[error("too many measurements at once: expected at most {max}")]
    TooManyMeasurements {
        /// How many can run.
        max: usize,
    },
    /// What was measured did not fit the tables, so its counts would not be exact.
    #[error("the measured code has more sites or live objects than the tables hold")]
    Overflow,
    /// The operating system or the allocator did not give memory.
    #[error("no memory for {what}")]
    Memory {
        /// What it was for.
        what: &'static str,
    },
    /// Hooks of earlier sessions are still at work, in every place that a session could take: their
    /// threads were stopped in the middle of one.
    #[error("hooks of {sessions} earlier sessions have not returned")]
    HooksStuck {
        /// Sessions that are waited for.
        sessions: usize,
    },
}
