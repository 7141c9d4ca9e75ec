//! Where the memory of a process is: docs/memory.md.

mod part;
mod text;

use allometer_profile::{Estimate, Metadata, Profile};

pub use part::GapPart;

/// Where the memory of a process is, as far as the profile, the allocator and the system say: see [`gap`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Gap {
    /// Parts that add up to `total`, from what the program asked for to what has nothing to do with the allocator.
    pub rows: Vec<GapRow>,
    /// What is explained, in bytes.
    pub total: u64,
    /// Whether that is all that the process has in memory, and not only what the allocator has.
    pub is_resident: bool,
    /// How many bytes are in pages in use for one that is in a block; `None` where the allocator does not know its pages.
    pub fragmentation: Option<f64>,
    /// Bytes of addresses that the allocator keeps without memory, or nearly: no part of the total.
    pub retained: Option<u64>,
}

/// A part of a process's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapRow {
    /// What it is.
    pub part: GapPart,
    /// How much, in bytes, with its error where the profile's estimates are in it.
    pub bytes: Estimate,
}

impl GapRow {
    /// What it means, and what one can do about it, in a sentence or two.
    pub fn meaning(&self) -> &'static str {
        match self.part {
            // A deduction, which says so.
            GapPart::Absent => self.part.meaning(),
            _ if self.bytes.value < 0.0 => {
                "Less than nothing: this is the error of what is above, or figures of different moments."
            }
            part => part.meaning(),
        }
    }
}

/// Where the memory of the process is that a profile is of: the difference between what its sites hold and what the system says
/// that the process has in memory, part by part. `None` where neither the allocator nor the system said anything.
///
/// A part that the allocator has no figure for is not guessed: it is together with the next one in a row that says so.
/// The figures are not of exactly one moment, and what is live is an estimate, so that a row that is a difference can come out below
/// zero; it is shown as it is. The rows always add up.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, Profile, ProviderFigure, Sample};
/// use allometer_views::{GapPart, gap};
///
/// let figure = |name: &str, bytes| ProviderFigure { name: name.to_owned(), bytes };
/// let metadata = Metadata {
///     live: true,
///     provider_figures: vec![figure("allocated", 700), figure("committed", 1000)],
///     resident: Some(1600),
///     ..Metadata::default()
/// };
/// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(500.0) };
/// let figures = Figures { live, ..Figures::default() };
/// let samples = vec![Sample { figures, slack: Some(Estimate::exact(80.0)), ..Sample::default() }];
/// let gap = gap(&Profile { metadata, samples, ..Profile::default() }).unwrap();
/// let rows: Vec<_> = gap.rows.iter().map(|row| (row.part, row.bytes.value)).collect();
/// assert_eq!(
///     rows,
///     [
///         (GapPart::Live, 500.0),
///         (GapPart::Slack, 80.0),
///         (GapPart::Unprofiled, 120.0),
///         (GapPart::FreeAndRecords, 300.0),
///         (GapPart::Outside, 600.0),
///     ]
/// );
/// ```
pub fn gap(profile: &Profile) -> Option<Gap> {
    let live = profile.with_assumed_errors().total().live.bytes;
    gap_of(&profile.metadata, live, profile.slack())
}

/// The same of what a profile says of itself, its live bytes, and their slack, if that is known.
pub fn gap_of(metadata: &Metadata, live: Estimate, slack: Option<Estimate>) -> Option<Gap> {
    let figure = |name: &str| {
        let mut figures = metadata.provider_figures.iter();
        figures.find(|figure| figure.name == name).map(|figure| figure.bytes)
    };
    let (allocated, active, records) = (figure("allocated"), figure("active"), figure("metadata"));
    // What the allocator has of memory. Where it cannot say, what it took: some of that may not be in memory.
    let taken = figure("resident").or(figure("committed"));
    let mut rows = Rows::default();
    if metadata.live {
        rows.add(GapPart::Live, live);
        if let Some(slack) = slack {
            rows.add(GapPart::Slack, slack);
        }
    }
    if let Some(allocated) = allocated {
        let part = match (metadata.live, slack) {
            (false, _) => GapPart::Blocks,
            (true, None) => GapPart::SlackAndUnprofiled,
            (true, Some(_)) => GapPart::Unprofiled,
        };
        rows.add_up_to(allocated, part);
        if let Some(active) = active {
            rows.add_up_to(active, GapPart::Fragmentation);
        }
    }
    if let Some(taken) = taken {
        match (allocated, active, records) {
            // jemalloc has some of its records in pages in use: with a small heap they would be counted twice.
            (Some(_), Some(active), Some(records)) if active + records <= taken => {
                rows.add_up_to(taken - records, GapPart::FreePages);
                rows.add_up_to(taken, GapPart::Records);
            }
            (Some(_), Some(_), _) => rows.add_up_to(taken, GapPart::FreePagesAndRecords),
            (Some(_), None, _) => rows.add_up_to(taken, GapPart::FreeAndRecords),
            (None, _, _) => rows.add_up_to(taken, GapPart::RestOfAllocator),
        }
    }
    let total = match (metadata.resident, taken.or(active).or(allocated)) {
        (Some(resident), Some(of_allocator)) => {
            let part = if resident < of_allocator { GapPart::Absent } else { GapPart::Outside };
            rows.add_up_to(resident, part);
            resident
        }
        (Some(resident), None) => {
            rows.add_up_to(resident, GapPart::Rest);
            resident
        }
        (None, Some(of_allocator)) => of_allocator,
        (None, None) => return None,
    };
    let fragmentation = active.zip(allocated).filter(|&(_, allocated)| allocated > 0);
    Some(Gap {
        rows: rows.rows,
        total,
        is_resident: metadata.resident.is_some(),
        fragmentation: fragmentation.map(|(active, allocated)| active as f64 / allocated as f64),
        retained: figure("retained"),
    })
}

/// Rows, and what they add up to.
#[derive(Default)]
struct Rows {
    rows: Vec<GapRow>,
    sum: Estimate,
}

impl Rows {
    fn add(&mut self, part: GapPart, bytes: Estimate) {
        // Live bytes and their slack are of the same samples: at most their errors, and not their variances, add up.
        let error = self.sum.standard_error() + bytes.standard_error();
        self.sum = Estimate { value: self.sum.value + bytes.value, variance: error * error };
        self.rows.push(GapRow { part, bytes });
    }

    /// What is missing to a figure that is known.
    fn add_up_to(&mut self, figure: u64, part: GapPart) {
        let known = Estimate::exact(figure as f64);
        self.rows.push(GapRow { part, bytes: known - self.sum });
        self.sum = known;
    }
}

#[cfg(test)]
mod tests;
