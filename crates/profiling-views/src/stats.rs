mod histogram;
mod text;

use std::collections::BTreeMap;

use allometer_profile::{Amount, Figures, Lifetimes, Metadata, Profile, Sample, SampleType};
use rustc_hash::FxHashMap;

use crate::frames;

/// A profile in figures: see [`stats`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The sum over all samples.
    pub total: Figures,
    /// What was live when the live heap was at its largest, at [`Metadata::peak`]; zero where that is not known.
    pub peak: Amount,
    /// How long freed objects lived, those of all sites together; empty where that is not known.
    pub lifetimes: Lifetimes,
    /// How old live objects are, those of all sites together; empty where the profile does not have them.
    pub ages: Lifetimes,
    /// The first places by each figure that the profile has: live bytes, live objects, allocated bytes and objects.
    pub rankings: Vec<Ranking>,
    /// What the samples of each tag stand for, the largest first; what has none under `None`. Empty where nothing has a tag.
    pub tags: Vec<(Option<String>, Figures)>,
    /// What the profile says about itself, sizes, losses and the allocator's own figures included.
    pub metadata: Metadata,
}

/// Places in the order of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The figure.
    pub sample_type: SampleType,
    /// The first places, the largest first.
    pub rows: Vec<PlaceRow>,
    /// How many places there are beside those.
    pub hidden: usize,
}

/// Where memory was requested, and what that stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceRow {
    /// The innermost functions that are not of the standard library, as [`Profile::place`] has them.
    pub place: String,
    /// What was allocated there.
    pub figures: Figures,
}

/// Functions that name a place.
const FUNCTIONS: usize = 3;

/// The figures of a profile: totals, sizes, lifetimes, the first `n` places by each figure, tags, what the allocator says
/// of itself, and what is missing. Displayed, it is text with bars.
///
/// A place is the three innermost functions of a stack that are not of the standard library: stacks that agree in these, and
/// in their lines, are one. Where a file has no errors, they are [assumed](Profile::with_assumed_errors).
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
///
/// let sizes = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]; // one object of 64 to 127 bytes
/// let mut builder = ProfileBuilder::new(Metadata { live: true, sizes, ..Metadata::default() });
/// let object = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(100.0) };
/// builder.add([RawFrame::Marker("[cache]")], Figures { alloc: object, live: object });
/// let stats = allometer_views::stats(&builder.finish(&mut Symbolizer::new()), 5);
/// assert_eq!(stats.rankings[0].rows[0].place, "[cache]");
/// assert!(stats.to_string().contains("64 B"));
/// ```
pub fn stats(profile: &Profile, n: usize) -> Stats {
    let profile = profile.with_assumed_errors();
    let (mut lifetimes, mut ages) = (Lifetimes::default(), Lifetimes::default());
    for sample in &profile.samples {
        if let Some(lived) = &sample.lifetimes {
            lifetimes += lived;
        }
        ages += &profile.ages(sample);
    }
    Stats {
        total: profile.total(),
        peak: profile.samples.iter().fold(Amount::default(), |peak, sample| peak + sample.peak),
        lifetimes,
        ages,
        rankings: rankings(&profile, n),
        tags: tags(&profile),
        metadata: profile.metadata.clone(),
    }
}

impl Stats {
    /// Mean number of bytes that were requested in a second of the span; `None` where its length is not known.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let seconds = self.metadata.duration.as_secs_f64();
        (seconds > 0.0).then(|| self.total.alloc.bytes.value / seconds)
    }
}

/// The figures that the profile has, what is live first.
fn rankings(profile: &Profile, n: usize) -> Vec<Ranking> {
    let mut places = FxHashMap::<String, Figures>::default();
    for sample in &profile.samples {
        *places.entry(place(profile, sample)).or_default() += sample.figures;
    }
    let rows: Vec<PlaceRow> =
        places.into_iter().map(|(place, figures)| PlaceRow { place, figures }).collect();
    let ranking = |sample_type: SampleType| {
        let value = |row: &PlaceRow| row.figures.get(sample_type).value;
        let mut rows: Vec<PlaceRow> = rows.iter().filter(|row| value(row) > 0.0).cloned().collect();
        rows.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| a.place.cmp(&b.place)));
        let hidden = rows.len().saturating_sub(n);
        rows.truncate(n);
        (!rows.is_empty()).then_some(Ranking { sample_type, rows, hidden })
    };
    let live: &[SampleType] = match profile.metadata.live {
        true => &[SampleType::LiveBytes, SampleType::LiveObjects],
        false => &[],
    };
    let all = live.iter().chain(&[SampleType::AllocBytes, SampleType::AllocObjects]);
    all.filter_map(|sample_type| ranking(*sample_type)).collect()
}

/// Where a sample was allocated; by addresses where there are no names.
fn place(profile: &Profile, sample: &Sample) -> String {
    let is_named = |location: &&allometer_profile::Location| !location.lines.is_empty();
    if sample.stack.iter().filter_map(|index| profile.location(*index)).any(|location| is_named(&location)) {
        return frames::printable(&profile.place(sample, FUNCTIONS)).into_owned();
    }
    let names = frames::leaf_first(profile, sample);
    names[..names.len().min(FUNCTIONS)].join(" < ")
}

fn tags(profile: &Profile) -> Vec<(Option<String>, Figures)> {
    if profile.samples.iter().all(|sample| sample.tag.is_none()) {
        return Vec::new();
    }
    let mut tags = BTreeMap::<Option<String>, Figures>::new();
    for sample in &profile.samples {
        let tag = sample.tag.as_deref().map(|tag| frames::printable(tag).into_owned());
        *tags.entry(tag).or_default() += sample.figures;
    }
    let mut tags: Vec<_> = tags.into_iter().collect();
    let value = |(_, figures): &(Option<String>, Figures)| match profile.metadata.live {
        true => figures.live.bytes.value,
        false => figures.alloc.bytes.value,
    };
    // Stable: of equal ones in the order of their names.
    tags.sort_by(|a, b| value(b).total_cmp(&value(a)));
    tags
}

#[cfg(test)]
mod tests;
