//! What a later snapshot is compared with.

use std::time::Duration;

use super::Grown;

/// What had been allocated until one moment of a session, by site: what is subtracted to get a span.
///
/// It does not keep the session's tables, and nothing of what was live.
#[derive(Debug)]
pub(crate) struct Baseline {
    /// Of the session.
    pub(crate) identity: u64,
    /// Nanoseconds since the session's start.
    pub(crate) age: u64,
    /// By site, [`crate::SiteId::FULL`] first.
    pub(crate) grown: Vec<Grown>,
    /// Estimated objects, by the number of bits of their size.
    pub(crate) sizes: Vec<f64>,
}

impl Baseline {
    /// Time since the session's start.
    pub(crate) fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.age)
    }
}
