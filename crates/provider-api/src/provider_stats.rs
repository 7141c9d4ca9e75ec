//! What an allocator knows about itself.

/// An allocator's own figures, in bytes; `None` where it does not keep one.
///
/// They describe the whole process as the allocator sees it, C callers included, in usable sizes. They
/// are shown beside a profile and never mixed into it.
///
/// A figure that would be wrong in some state of a program is `None`. By the provider, and by the call that it comes from:
///
/// | | `system` (glibc 2.33 or later) | `mimalloc`, `rustfs-mimalloc` | `jemalloc` |
/// |---|---|---|---|
/// | `allocated` | `mallinfo2`: `uordblks + hblkhd` | none (1) | `stats.allocated` |
/// | `active` | none (2) | none (1) | `stats.active` |
/// | `committed` | `mallinfo2`: `arena + hblkhd` | `mi_process_info`: `current_commit` | none |
/// | `resident` | none | none (3) | `stats.resident` |
/// | `retained` | none | none (4) | `stats.retained` |
/// | `metadata` | none | none | `stats.metadata` |
///
/// 1. mimalloc 3.3 counts blocks in its debug build only. What 3.6 calls `allocated` is brought up to date page by page and thread
///    by thread, when a thread takes its slow path: it said 75 MiB with half of them freed, 0 with 48 MiB in sixteen
///    threads, and less than zero once another thread had freed everything. Going through the pages instead
///    (`mi_heap_visit_blocks`) wants all other threads to stand still.
/// 2. Free blocks are known by their bytes, not by their pages.
/// 3. On Linux `mi_process_info` answers what is committed in its place; elsewhere what the process has, which is more.
/// 4. What was reserved and not committed is only what was never touched: pages that were given back count as committed.
///
/// A C library without `mallinfo2`, one that is linked into a program without a loader, and a [`Custom`](crate::Custom) allocator, have none of them.
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
