use allometer_profile::Symbolization;

use super::{JemallocError, control};

/// How jemalloc's profiler is run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct JemallocConfig {
    pub(super) sample_interval: Option<u64>,
    pub(super) symbolization: Symbolization,
}

/// The largest sample interval, in bytes.
const MAX_INTERVAL: u64 = 1 << 50;

impl JemallocConfig {
    /// Mean number of bytes between two samples of a thread: a power of two, 1 to 2⁵⁰. By default it is what it is, which is
    /// `lg_prof_sample` of jemalloc's own configuration, 512 KiB unless that says otherwise.
    ///
    /// A thread that runs already comes to another interval with its next sample.
    pub fn sample_interval(mut self, bytes: u64) -> Self {
        self.sample_interval = Some(bytes);
        self
    }

    /// How much of addresses is looked up for profiles.
    pub fn symbolization(mut self, symbolization: Symbolization) -> Self {
        self.symbolization = symbolization;
        self
    }

    /// The power of two that the interval is.
    ///
    /// # Errors
    ///
    /// [`JemallocError::Interval`]; what jemalloc says if it is asked.
    pub(super) fn lg_sample(&self) -> Result<usize, JemallocError> {
        match self.sample_interval {
            None => control::lg_sample(),
            Some(interval) if interval.is_power_of_two() && interval <= MAX_INTERVAL => {
                Ok(interval.ilog2() as usize)
            }
            Some(interval) => Err(JemallocError::Interval { interval, max: MAX_INTERVAL }),
        }
    }
}
