/// How a source is doing; `None` where it does not know.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SourceStats {
    /// Requests that were sampled.
    pub samples: Option<u64>,
    /// Distinct call stacks.
    pub sites: Option<usize>,
    /// Sampled objects that are followed now.
    pub live_samples: Option<usize>,
    /// Distinct tags.
    pub tags: Option<usize>,
    /// Threads that have requested memory since the start.
    pub threads: Option<u64>,
    /// How stacks are walked, in a word.
    pub unwinding: Option<&'static str>,
    /// Samples whose stack was walked by the platform's unwinder.
    pub portable_stacks: Option<u64>,
    /// Frames, over all samples, in libraries beyond the bound.
    pub lost_frames: Option<u64>,
    /// Requests above the limit of giant ones; 0 where none is set.
    pub giants: u64,
    /// Of these, how many were refused.
    pub refused_giants: u64,
    /// Address space that is reserved for it, in bytes.
    pub reserved_bytes: Option<usize>,
    /// What each of its bounds cost.
    pub losses: Vec<BoundLoss>,
}

/// What a bound cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundLoss {
    /// What it bounds, in a word: `site_table`.
    pub bound: &'static str,
    /// Samples that it cost something of.
    pub samples: u64,
    /// What these stand for, in bytes: an estimate.
    pub bytes: f64,
}
