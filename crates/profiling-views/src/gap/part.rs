/// What a part of a process's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GapPart {
    /// What is live in the profile, as it was requested.
    Live,
    /// What its blocks have beyond that.
    Slack,
    /// Blocks that the profile does not have.
    Unprofiled,
    /// Both together, where slack is not known.
    SlackAndUnprofiled,
    /// All blocks, where live objects are not recorded.
    Blocks,
    /// Free room in pages that have live blocks.
    Fragmentation,
    /// Pages without any block.
    FreePages,
    /// What the allocator needs for itself.
    Records,
    /// Both together, where the allocator's figures for them overlap.
    FreePagesAndRecords,
    /// All that the allocator has beside blocks, where it does not say what of it is what.
    FreeAndRecords,
    /// All that the allocator took beside what the profile has, where it does not even say how much is in blocks.
    RestOfAllocator,
    /// What the process has in memory beyond what the allocator has.
    Outside,
    /// Below zero: what the allocator counts and the process does not have in memory.
    Absent,
    /// All that the profile does not have, where the allocator says nothing.
    Rest,
}

impl GapPart {
    /// In a word or two, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Slack => "slack",
            Self::Unprofiled => "unprofiled",
            Self::SlackAndUnprofiled => "slack_and_unprofiled",
            Self::Blocks => "blocks",
            Self::Fragmentation => "fragmentation",
            Self::FreePages => "free_pages",
            Self::Records => "records",
            Self::FreePagesAndRecords => "free_pages_and_records",
            Self::FreeAndRecords => "free_and_records",
            Self::RestOfAllocator => "rest_of_allocator",
            Self::Outside => "outside",
            Self::Absent => "absent",
            Self::Rest => "rest",
        }
    }

    /// For people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Live => "live, as requested",
            Self::Slack => "slack of live blocks",
            Self::Unprofiled => "blocks not in the profile",
            Self::SlackAndUnprofiled => "slack, blocks not in the profile",
            Self::Blocks => "blocks",
            Self::Fragmentation => "free between live blocks",
            Self::FreePages => "free pages",
            Self::Records => "the allocator's records",
            Self::FreePagesAndRecords => "free pages, and records",
            Self::FreeAndRecords => "free, and records",
            Self::RestOfAllocator => "the allocator's other memory",
            Self::Outside => "not the allocator's, at least",
            Self::Absent => "of that not in memory, at least",
            Self::Rest => "everything else",
        }
    }

    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Live => "What the program holds. The profile says where it was allocated.",
            Self::Slack => {
                "Blocks come in certain sizes. Sites with much of it may do with sizes that fit; in large blocks it may be \
                 pages that were never touched."
            }
            Self::Unprofiled => {
                "From before the session, of C code, the profiler's own, or beyond the profile's bounds; headers of \
                 blocks. A session that starts earlier has more of them."
            }
            Self::SlackAndUnprofiled => {
                "What blocks have beyond what was requested, and blocks from before the session, of C code or the \
                 profiler's own: not told apart here."
            }
            Self::Blocks => {
                "What the program holds; a session that records live objects says where it was allocated."
            }
            Self::Fragmentation => {
                "Free blocks in pages that live ones keep in use. New blocks of their sizes go there; objects that live \
                 long among others that do not are the usual cause."
            }
            Self::FreePages => "Kept for requests to come. Giving free memory back (purge) takes it away.",
            Self::Records => "What the allocator needs for itself. It grows with the heap at its largest.",
            Self::FreePagesAndRecords => {
                "Kept for requests to come, and what the allocator needs for itself; little, and counted with some overlap."
            }
            Self::FreeAndRecords => {
                "Free between live blocks, free pages, records: this allocator does not tell them apart. Giving free \
                 memory back (purge) takes free pages away."
            }
            Self::RestOfAllocator => {
                "Blocks not in the profile, free room, records, and pages given back before: this allocator says only how \
                 much it took."
            }
            Self::Outside => "Stacks of threads, code, files, the profiler's own tables, other allocators.",
            Self::Absent => {
                "Taken off: pages that were never touched, or given back, and still count in the rows above."
            }
            Self::Rest => {
                "The allocator's free room, stacks of threads, code, files: this allocator says nothing of itself."
            }
        }
    }
}
