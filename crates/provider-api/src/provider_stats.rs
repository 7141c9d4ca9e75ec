//! What an allocator knows about itself.

/// An allocator's own figures, in bytes; `None` where it does not keep one.
///
/// They describe the whole process as the allocator sees it, C callers included, in usable sizes. They
/// are shown beside a profile and never mixed into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderStats {
    /// Bytes in blocks that the program holds.
    pub allocated: Option<u64>,
    /// Bytes in pages that hold at least one such block.
    pub active: Option<u64>,
    /// Bytes of address space that the allocator has made ready for use, in blocks or free. Not all of them
    /// are resident: pages may be untouched, or given back in a way that leaves them ready.
    pub committed: Option<u64>,
    /// Bytes of physical memory that the allocator's mappings occupy.
    pub resident: Option<u64>,
    /// Bytes of address space that are mapped but were given back or never touched.
    pub retained: Option<u64>,
    /// Bytes that the allocator uses for its own records.
    pub metadata: Option<u64>,
}

impl ProviderStats {
    /// The figures that there are, with their names.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let Self { allocated, active, committed, resident, retained, metadata } = *self;
        let all = [
            ("allocated", allocated),
            ("active", active),
            ("committed", committed),
            ("resident", resident),
            ("retained", retained),
            ("metadata", metadata),
        ];
        all.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)))
    }
}
