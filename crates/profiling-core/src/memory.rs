//! What the process takes of the machine's memory: the system's figures, which stand beside a profile.

mod cgroup;
mod resident;

/// How much of a limited amount of memory is in use.
///
/// ```
/// use allometer_core::MemoryUse;
///
/// if let Some(MemoryUse { used, limit }) = MemoryUse::resident() {
///     assert!(used < limit);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// In bytes.
    pub used: u64,
    /// In bytes, more than 0.
    pub limit: u64,
}

impl MemoryUse {
    /// What of this process is in memory now (`VmRSS`), of the machine's memory. `None` where there is no `/proc`.
    pub fn resident() -> Option<Self> {
        resident::read()
    }

    /// How much is in use of what the process's control group, or one around it, may have: of the one that is nearest to its
    /// limit. Pages of files that nobody used lately do not count. `None` where no group has a limit.
    pub fn control_group() -> Option<Self> {
        cgroup::read()
    }

    /// The share that is in use.
    pub fn fraction(self) -> f64 {
        self.used as f64 / self.limit as f64
    }
}
