//! One run of a program, by what it printed.

use crate::error::Error;

/// One run of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run {
    /// CPU time of the workload, the kernel's part included.
    pub(super) seconds: f64,
    /// Requests that were recorded.
    pub(super) samples: f64,
    /// Requests that should have been.
    pub(super) lost: f64,
}

impl Run {
    /// Reads lines of `name number`; `place` is what they came from, for errors.
    pub(super) fn read(text: &str, place: &str) -> Result<Self, Error> {
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            let number = line.and_then(|number| number.parse().ok()).filter(|number| *number >= 0.0);
            number.ok_or_else(|| Error::Silent { command: place.to_owned(), name: name.to_owned() })
        };
        let nanoseconds: f64 = number("cpu_nanoseconds")?;
        Ok(Self { seconds: nanoseconds * 1e-9, samples: number("samples")?, lost: number("lost")? })
    }

    /// The share of records that were lost; none where nothing was to be recorded.
    pub(super) fn lost_share(self) -> f64 {
        if self.lost == 0.0 { 0.0 } else { self.lost / (self.samples + self.lost) }
    }
}
