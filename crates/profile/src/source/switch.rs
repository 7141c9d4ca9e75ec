use std::{fmt, sync::Arc};

use crate::{Source, SourceError};

/// A profiler that can be started and stopped, and is a source while it runs.
pub trait Switch: fmt::Debug + Send + Sync {
    /// Starts it, with this sample interval in bytes, or with the one that it was set up with.
    ///
    /// # Errors
    ///
    /// [`SourceError::AlreadyActive`], [`SourceError::Interval`]; what else it says.
    fn start(&self, sample_interval: Option<u64>) -> Result<(), SourceError>;

    /// Stops it.
    ///
    /// # Errors
    ///
    /// [`SourceError::Inactive`] if it does not run.
    fn stop(&self) -> Result<(), SourceError>;

    /// Whether it could be started with this interval: who is to be started afresh is asked before it is stopped.
    ///
    /// # Errors
    ///
    /// [`SourceError::Interval`].
    fn check(&self, sample_interval: u64) -> Result<(), SourceError>;

    /// What there is to read; `None` while it does not run.
    fn source(&self) -> Option<Arc<dyn Source>>;

    /// [`Source::leave_out`], also while it does not run.
    fn leave_out(&self, work: &mut dyn FnMut());
}
