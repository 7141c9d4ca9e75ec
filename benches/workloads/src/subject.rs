//! The profiler that a program is measured with.

use std::error::Error;

/// What a profiler answers, or why it cannot.
pub type Answer<T> = Result<T, Box<dyn Error>>;

/// How a profiler is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// Mean number of bytes between two samples.
    pub interval: u64,
    /// Whether it follows sampled objects until they are freed.
    pub live: bool,
    /// Most frames of a stack, where not the profiler's default.
    pub depth: Option<usize>,
}

/// What a profiler counted: estimates where it samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Samples that were taken.
    pub samples: u64,
    /// Distinct stacks that were kept apart.
    pub sites: u64,
    /// Sampled objects that are followed now.
    pub live_samples: u64,
    /// Objects that were allocated.
    pub objects: f64,
    /// Bytes that were allocated.
    pub bytes: f64,
    /// Samples that found no room.
    pub lost: u64,
}

/// The profiler that a program is measured with.
pub trait Subject {
    /// Starts profiling.
    ///
    /// # Errors
    ///
    /// When there is no profiler, or none that can be started so.
    fn start(&mut self, session: Session) -> Answer<()>;

    /// What was counted since the start.
    ///
    /// # Errors
    ///
    /// When it cannot tell.
    fn totals(&self) -> Answer<Totals>;

    /// Frames of the deepest stack that was recorded.
    ///
    /// # Errors
    ///
    /// When it cannot tell.
    fn deepest(&self) -> Answer<u64> {
        Err("frames are not told".into())
    }

    /// A report of what was allocated since the last one, or since the start, and what is live: a pprof.
    ///
    /// # Errors
    ///
    /// When there is none.
    fn report(&mut self) -> Answer<Vec<u8>> {
        Err("no reports are made".into())
    }

    /// The same, compressed.
    ///
    /// # Errors
    ///
    /// When there is none.
    fn packed_report(&mut self) -> Answer<Vec<u8>> {
        Err("no compressed reports are made".into())
    }

    /// Gives up the names that reports have found.
    fn forget_names(&mut self) {}

    /// Bytes that the program has allocated now, and that it had at most since this was last asked.
    ///
    /// # Errors
    ///
    /// When they are not counted.
    fn allocated(&self) -> Answer<(u64, u64)> {
        Err("what is allocated is not counted".into())
    }

    /// Ends profiling and gives up what was kept.
    fn stop(&mut self);

    /// Asks the allocator to give free memory back.
    fn purge(&self) {}
}

/// No profiler: the allocator alone.
#[derive(Clone, Copy, Debug)]
pub struct Bare;

impl Subject for Bare {
    fn start(&mut self, _session: Session) -> Answer<()> {
        Err("this program has no profiler".into())
    }

    fn totals(&self) -> Answer<Totals> {
        Err("this program has no profiler".into())
    }

    fn stop(&mut self) {}
}
