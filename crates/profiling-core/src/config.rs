//! What a session is told before it starts.

mod environment;

use std::path::PathBuf;

use allometer_profile::Symbolization;

use crate::{Error, Unwinding, capture::MAX_DEPTH, sync::sized, tag::NAMES};

/// The largest sample interval, in bytes: a pebibyte.
pub(crate) const MAX_INTERVAL: u64 = 1 << 50;
/// The largest bound on sites.
pub(crate) const MAX_SITES: usize = 1 << 20;
/// The largest bound on live samples.
pub(crate) const MAX_LIVE_SAMPLES: usize = 1 << 24;

/// The smallest limit of giant requests, in bytes: each time a thread has requested so much it takes the slow path.
const MIN_GIANT: u64 = 1 << 20;

/// What a session is told before it starts.
///
/// ```
/// use allometer_core::Config;
///
/// let config = Config::default().sample_interval(64 << 10).live_heap(false);
/// assert!(config.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    pub(crate) sample_interval: u64,
    pub(crate) live_heap: bool,
    pub(crate) lifetimes: bool,
    pub(crate) max_depth: usize,
    pub(crate) unwinding: Unwinding,
    pub(crate) symbolization: Symbolization,
    pub(crate) max_sites: usize,
    pub(crate) max_live_samples: usize,
    pub(crate) max_tags: usize,
    pub(crate) seed: Option<u64>,
    pub(crate) giant_limit: Option<u64>,
    pub(crate) refuse_giants: bool,
    pub(crate) giant_file: Option<PathBuf>,
}

impl Default for Config {
    /// Interval 512 KiB, live heap on, depth 128, full symbols, 65 536 sites, 262 144 live samples, 64 tags, a seed
    /// from the operating system.
    fn default() -> Self {
        Self {
            sample_interval: 512 << 10,
            live_heap: true,
            lifetimes: false,
            max_depth: 128,
            unwinding: Unwinding::Automatic,
            symbolization: Symbolization::Full,
            max_sites: 1 << 16,
            max_live_samples: 1 << 18,
            max_tags: sized(64, 1),
            seed: None,
            giant_limit: None,
            refuse_giants: false,
            giant_file: None,
        }
    }
}

impl Config {
    /// Mean number of requested bytes between two samples of a thread: 1 to 2⁵⁰.
    ///
    /// At 1 every request is recorded, exactly.
    #[must_use]
    pub fn sample_interval(mut self, bytes: u64) -> Self {
        self.sample_interval = bytes;
        self
    }

    /// Whether the session follows sampled objects until they are freed.
    ///
    /// Without it the profile says what was allocated, and nothing of what is still held.
    #[must_use]
    pub fn live_heap(mut self, on: bool) -> Self {
        self.live_heap = on;
        self
    }

    /// Whether the session keeps, by site, how long freed objects lived: off by default. It takes 320
    /// bytes a site, and needs the live heap.
    #[must_use]
    pub fn lifetimes(mut self, on: bool) -> Self {
        self.lifetimes = on;
        self
    }

    /// Frames kept of a stack, from the allocation outwards: 1 to 256.
    ///
    /// A deeper stack is cut at its root end and ends in `[truncated]`.
    #[must_use]
    pub fn max_depth(mut self, frames: usize) -> Self {
        self.max_depth = frames;
        self
    }

    /// How stacks are walked; [`crate::Stats::unwinding`] says what became of it.
    #[must_use]
    pub fn unwinding(mut self, unwinding: Unwinding) -> Self {
        self.unwinding = unwinding;
        self
    }

    /// How much of addresses is looked up for the profiles of the session: [`Profiler::report`](crate::Profiler::report),
    /// [`Span::profile`](crate::Span::profile), [`Snapshot::profile`](crate::Snapshot::profile). What is not can be looked
    /// up later, by [`Symbolizer::symbolize`](allometer_profile::Symbolizer::symbolize).
    #[must_use]
    pub fn symbolization(mut self, symbolization: Symbolization) -> Self {
        self.symbolization = symbolization;
        self
    }

    /// Distinct stacks that a session can tell apart: 1 to 2²⁰.
    ///
    /// Beyond it, or when their frames fill the room for 48 of them a site, a new stack is counted at
    /// `[site table full]`: totals stay right.
    #[must_use]
    pub fn max_sites(mut self, sites: usize) -> Self {
        self.max_sites = sites;
        self
    }

    /// Sampled objects that can be followed at once: 1 to 2²⁴.
    ///
    /// At this bound the interval doubles and the samples are thinned to it, without bias; the profile
    /// names the interval that it ended at. At interval 1, where exactness was asked for, an object beyond
    /// the bound is not followed; its weight is counted, and the profile says so.
    #[must_use]
    pub fn max_live_samples(mut self, samples: usize) -> Self {
        self.max_live_samples = samples;
        self
    }

    /// Distinct tags that a session can tell apart: 0 to 4096.
    ///
    /// The first ones that it meets have sites of their own; what comes later is counted together, as
    /// `[other tags]`. With 0, sites have no tags.
    #[must_use]
    pub fn max_tags(mut self, tags: usize) -> Self {
        self.max_tags = tags;
        self
    }

    /// A fixed seed, so that a single-threaded program gives the same samples again.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Requests of more than so many bytes are giant ones: 2²⁰ to 2⁵⁰, off by default.
    ///
    /// Each of them is logged with its stack, before the allocator is asked: [`Profiler::giants`](crate::Profiler::giants). It
    /// costs nothing but where a request is sampled, or giant.
    #[must_use]
    pub fn giant_limit(mut self, bytes: u64) -> Self {
        self.giant_limit = Some(bytes);
        self
    }

    /// Whether giant requests are refused, as if there were no memory: most programs end then, as `Vec` does.
    /// What the profiler itself requests is not.
    #[must_use]
    pub fn refuse_giants(mut self, on: bool) -> Self {
        self.refuse_giants = on;
        self
    }

    /// Where the log of giant requests is kept, so that it can be read when the process has ended, with
    /// [`Profile::from_giant_log`](allometer_profile::Profile::from_giant_log): a file of 64 KiB, for its owner alone. One that
    /// is there already gets the ending `.previous`. It goes when the session is stopped without a giant request, or when somebody
    /// was told of each ([`Reader::told_giants`](crate::Reader::told_giants)). It is locked (`flock`) until then.
    ///
    /// The directory should be nobody else's: whoever can make the file shorter can end the process.
    #[must_use]
    pub fn giant_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.giant_file = Some(path.into());
        self
    }

    /// Checks each field against its bounds.
    ///
    /// # Errors
    ///
    /// The first field that is out of its bounds, with them.
    pub fn validate(&self) -> Result<(), Error> {
        let Self { sample_interval: interval, max_depth: depth, .. } = *self;
        let (sites, samples) = (self.max_sites, self.max_live_samples);
        if !(1..=MAX_INTERVAL).contains(&interval) {
            return Err(Error::IntervalOutOfRange { interval, max: MAX_INTERVAL });
        }
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(Error::DepthOutOfRange { depth, max: MAX_DEPTH });
        }
        if !(1..=MAX_SITES).contains(&sites) {
            return Err(Error::SitesOutOfRange { sites, max: MAX_SITES });
        }
        if !(1..=MAX_LIVE_SAMPLES).contains(&samples) {
            return Err(Error::LiveSamplesOutOfRange { samples, max: MAX_LIVE_SAMPLES });
        }
        if self.max_tags > NAMES {
            return Err(Error::TagsOutOfRange { tags: self.max_tags, max: NAMES });
        }
        match self.giant_limit {
            Some(limit) if !(MIN_GIANT..=MAX_INTERVAL).contains(&limit) => {
                Err(Error::GiantLimitOutOfRange { limit, min: MIN_GIANT, max: MAX_INTERVAL })
            }
            None if self.refuse_giants || self.giant_file.is_some() => Err(Error::NoGiantLimit),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_names_its_bound() {
        let of = |config: Config| config.validate().unwrap_err().to_string();
        let c = Config::default;
        assert_eq!(of(c().sample_interval(0)), "sample_interval is 0 bytes: expected 1 to 1125899906842624");
        assert_eq!(of(c().max_depth(257)), "max_depth is 257 frames: expected 1 to 256");
        assert_eq!(of(c().max_sites(0)), "max_sites is 0: expected 1 to 1048576");
        assert_eq!(of(c().max_live_samples(1 << 25)), "max_live_samples is 33554432: expected 1 to 16777216");
        assert_eq!(of(c().max_tags(4097)), "max_tags is 4097: expected 0 to 4096");
        assert_eq!(of(c().giant_limit(9)), "giant_limit is 9 bytes: expected 1048576 to 1125899906842624");
        assert_eq!(
            of(c().refuse_giants(true)),
            "giant requests have no limit: expected giant_limit with the rest"
        );
        assert_eq!(of(c().giant_file("log")), of(c().refuse_giants(true)));
        assert!(c().giant_limit(1 << 20).refuse_giants(true).giant_file("log").validate().is_ok());
        assert!(c().max_tags(0).validate().is_ok());
        assert!(c().sample_interval(MAX_INTERVAL).max_depth(1).validate().is_ok());
    }
}
