use std::time::Duration;

use allometer_core::MemoryUse;

/// What is known of the program's memory at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measurements {
    /// Time since the runner's start.
    pub(crate) elapsed: Duration,
    /// Live bytes, of the session: an estimate.
    pub(crate) live: u64,
    /// Giant requests since the session's start.
    pub(crate) giants: u64,
    /// `None` where the system does not say.
    pub(crate) resident: Option<MemoryUse>,
    /// `None` where there is no control group with a limit.
    pub(crate) cgroup: Option<MemoryUse>,
}
