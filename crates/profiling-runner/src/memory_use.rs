/// How much of a limited amount of memory is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    /// In bytes.
    pub(crate) used: u64,
    /// In bytes, more than 0.
    pub(crate) limit: u64,
}

impl MemoryUse {
    pub(crate) fn fraction(self) -> f64 {
        self.used as f64 / self.limit as f64
    }
}
