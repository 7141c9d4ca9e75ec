//! What a piece of code may request.

/// What a piece of code may request at most; what is not set is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub(super) allocations: Option<u64>,
    pub(super) bytes: Option<u64>,
    pub(super) peak_bytes: Option<u64>,
}

impl Budget {
    /// Requests: each `alloc`, `alloc_zeroed` and `realloc` that succeeds is one.
    #[must_use]
    pub fn allocations(mut self, most: u64) -> Self {
        self.allocations = Some(most);
        self
    }

    /// Requested bytes; a `realloc` counts with its new size.
    #[must_use]
    pub fn bytes(mut self, most: u64) -> Self {
        self.bytes = Some(most);
        self
    }

    /// Bytes that are live at once, of those that the code requested.
    #[must_use]
    pub fn peak_bytes(mut self, most: u64) -> Self {
        self.peak_bytes = Some(most);
        self
    }
}
