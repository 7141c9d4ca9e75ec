use std::time::{Duration, SystemTime};

use crate::{Amount, SampleType};

/// What a profile says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// When the span began.
    pub start: Option<SystemTime>,
    /// How long the span was.
    pub duration: Duration,
    /// Which session this is a profile of; two profiles with the same one share their live objects. `None` where these
    /// are not known.
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
    /// When the live heap was at its largest, as time since the session's start: what [`Sample::peak`](crate::Sample::peak)
    /// is about. `None` where that is not known.
    pub peak: Option<Duration>,
    /// Estimated objects allocated in the span, by size: element `n` is for the sizes that need `n` bits, so 2ⁿ⁻¹ to
    /// 2ⁿ - 1 bytes, the last one for everything beyond. Empty where that is not known.
    pub sizes: Vec<f64>,
    /// What the allocator said about itself at the end of the span. It is about the whole process, in usable sizes, and
    /// has no part in the samples.
    pub provider_figures: Vec<ProviderFigure>,
    /// How much of the process was in memory at the end of the span (`VmRSS`), in bytes. `None` where that is not known.
    pub resident: Option<u64>,
    /// Whether the figures of what was allocated are those of an interval, before and after which there are others: who takes
    /// differences of successive profiles, as Pyroscope's server does, must leave these alone. In a pprof file each sample then has
    /// the label `__delta__` with the text `false`.
    pub is_interval: bool,
    /// Further lines for the reader, one remark each.
    pub comments: Vec<String>,
}

/// A figure that an allocator keeps of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderFigure {
    /// What it is called, in a word: `resident`.
    pub name: String,
    /// Its value.
    pub bytes: u64,
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
