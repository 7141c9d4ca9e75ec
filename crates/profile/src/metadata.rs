use std::time::{Duration, SystemTime};

use crate::{Amount, SampleType};

/// What a profile says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// When the span began.
    pub start: Option<SystemTime>,
    /// How long the span was.
    pub duration: Duration,
    /// Which session this is a profile of; two profiles with the same one share their live objects. `None`
    /// in a profile that was read from a file.
    pub session: Option<u64>,
    /// The session's age at the end of the span.
    pub elapsed: Duration,
    /// Mean number of requested bytes between two samples; 1 means that every allocation was recorded, 0
    /// that the interval is not known.
    pub sample_interval: u64,
    /// Name of the allocator that was sampled.
    pub provider: Option<String>,
    /// The figure that viewers show first.
    pub default_type: SampleType,
    /// Whether live figures were recorded. If not, they are zero in every sample and mean nothing.
    pub live: bool,
    /// What the samples do not contain. Empty when nothing is missing.
    pub losses: Vec<Loss>,
    /// Functions that are no part of the program where they stand at the leaf of a stack: an allocator's own. They are
    /// left out once they have names, with everything that is inlined into them. The last part of a function's path
    /// stands for it, such as `__rust_alloc`; a file has those that consist of letters, digits and `_`.
    pub left_out_at_leaf: Vec<String>,
    /// Further lines for the reader, one remark each.
    pub comments: Vec<String>,
}

/// Something that the samples of a profile do not contain, and how much of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loss {
    /// What is missing and why, in a few words on one line: `objects beyond the live bound`.
    pub what: String,
    /// How many samples (or requests, where no sample was drawn) it is about.
    pub events: u64,
    /// What they stand for; zero where that is not known.
    pub amount: Amount,
}
