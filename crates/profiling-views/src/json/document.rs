use std::borrow::Cow;
use std::time::SystemTime;

use allometer_profile::{Amount, Lifetimes, Location, LocationIndex, Metadata, Profile, Sample, is_of_std};
use jiff::Timestamp;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{
    SCHEMA,
    memory::MemoryParts,
    parts::{Lost, Measured, MeasuredBytes, OfProvider},
};
use crate::{frames, gap};

/// The whole of it, as it is written.
#[derive(Serialize)]
pub(super) struct Document<'profile> {
    schema: &'static str,
    metadata: About<'profile>,
    total: Figures,
    memory: Option<MemoryParts>,
    frames: Vec<Frame<'profile>>,
    sites: Vec<Site<'profile>>,
}

#[derive(Serialize)]
struct About<'profile> {
    start: Option<String>,
    duration_seconds: f64,
    elapsed_seconds: f64,
    session: Option<String>,
    sample_interval_bytes: u64,
    provider: Option<Cow<'profile, str>>,
    live_recorded: bool,
    peak_seconds: Option<f64>,
    sizes: &'profile [f64],
    provider_figures: Vec<OfProvider<'profile>>,
    resident_bytes: Option<u64>,
    losses: Vec<Lost<'profile>>,
    comments: Vec<Cow<'profile, str>>,
}

/// The three amounts of a site, or of all together, and what blocks have beyond.
#[derive(Serialize)]
struct Figures {
    live: Measured,
    allocated: Measured,
    peak: Measured,
    #[serde(skip_serializing_if = "Option::is_none")]
    slack: Option<MeasuredBytes>,
}

/// A function at a line, where one of the stacks goes through it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
struct Frame<'profile> {
    function: Cow<'profile, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: Cow<'profile, str>,
    #[serde(skip_serializing_if = "is_zero")]
    line: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    module: Cow<'profile, str>,
    #[serde(skip_serializing_if = "is_false")]
    inlined: bool,
    #[serde(skip_serializing_if = "is_false")]
    std: bool,
}

#[derive(Serialize)]
struct Site<'profile> {
    stack: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<Cow<'profile, str>>,
    #[serde(flatten)]
    figures: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetimes: Option<Durations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ages: Option<Durations>,
}

#[derive(Serialize)]
struct Durations {
    median_seconds: f64,
    /// Pairs of a class and its objects.
    classes: Vec<(usize, f64)>,
}

impl Durations {
    /// None if there are no objects.
    fn of(lifetimes: &Lifetimes) -> Option<Self> {
        let classes = lifetimes.objects.iter().copied().enumerate().filter(|(_, objects)| *objects > 0.0);
        let median_seconds = lifetimes.quantile(0.5)?.as_secs_f64();
        Some(Self { median_seconds, classes: classes.collect() })
    }
}

impl<'profile> Document<'profile> {
    pub(super) fn of(profile: &'profile Profile) -> Self {
        let mut table = FrameTable::new(profile);
        let site = |sample: &'profile Sample| Site {
            stack: sample.stack.iter().flat_map(|&index| table.at(index)).collect(),
            tag: sample.tag.as_deref().map(frames::printable),
            figures: Figures {
                live: Measured::of(sample.figures.live),
                allocated: Measured::of(sample.figures.alloc),
                peak: Measured::of(sample.peak),
                slack: sample.slack.map(MeasuredBytes::from),
            },
            lifetimes: sample.lifetimes.as_deref().and_then(Durations::of),
            ages: Durations::of(&profile.ages(sample)),
        };
        let sites = profile.samples.iter().map(site).collect();
        let total = profile.total();
        let peak = profile.samples.iter().fold(Amount::default(), |sum, sample| sum + sample.peak);
        Self {
            schema: SCHEMA,
            metadata: About::of(&profile.metadata),
            total: Figures {
                live: Measured::of(total.live),
                allocated: Measured::of(total.alloc),
                peak: Measured::of(peak),
                slack: profile.slack().map(MeasuredBytes::from),
            },
            memory: gap(profile).map(MemoryParts::from),
            frames: table.frames,
            sites,
        }
    }
}

impl<'profile> About<'profile> {
    fn of(metadata: &'profile Metadata) -> Self {
        Self {
            start: metadata.start.and_then(rfc_3339),
            duration_seconds: metadata.duration.as_secs_f64(),
            elapsed_seconds: metadata.elapsed.as_secs_f64(),
            // A number of 64 bits is more than JSON's readers keep.
            session: metadata.session.map(|session| format!("{session:016x}")),
            sample_interval_bytes: metadata.sample_interval,
            provider: metadata.provider.as_deref().map(frames::printable),
            live_recorded: metadata.live,
            peak_seconds: metadata.peak.map(|peak| peak.as_secs_f64()),
            sizes: &metadata.sizes,
            provider_figures: metadata.provider_figures.iter().map(OfProvider::of).collect(),
            resident_bytes: metadata.resident,
            losses: metadata.losses.iter().map(Lost::of).collect(),
            comments: metadata.comments.iter().map(|comment| frames::printable(comment)).collect(),
        }
    }
}

/// Frames, each once.
struct FrameTable<'profile> {
    profile: &'profile Profile,
    frames: Vec<Frame<'profile>>,
    positions: FxHashMap<Frame<'profile>, usize>,
    by_location: FxHashMap<LocationIndex, Vec<usize>>,
}

impl<'profile> FrameTable<'profile> {
    fn new(profile: &'profile Profile) -> Self {
        Self {
            profile,
            frames: Vec::new(),
            positions: FxHashMap::default(),
            by_location: FxHashMap::default(),
        }
    }

    /// The frames of a location, innermost first.
    fn at(&mut self, index: LocationIndex) -> Vec<usize> {
        if let Some(known) = self.by_location.get(&index) {
            return known.clone();
        }
        let Some(location) = self.profile.location(index) else { return Vec::new() };
        let new: Vec<usize> =
            frames_of(self.profile, location).into_iter().map(|frame| self.intern(frame)).collect();
        self.by_location.insert(index, new.clone());
        new
    }

    fn intern(&mut self, frame: Frame<'profile>) -> usize {
        if let Some(&position) = self.positions.get(&frame) {
            return position;
        }
        let position = self.frames.len();
        self.positions.insert(frame.clone(), position);
        self.frames.push(frame);
        position
    }
}

fn frames_of<'profile>(profile: &'profile Profile, location: &'profile Location) -> Vec<Frame<'profile>> {
    let mapping = location.mapping.and_then(|index| profile.mapping(index));
    let module = mapping.map(|mapping| mapping.path.rsplit('/').next().unwrap_or_default());
    let module = frames::printable(module.unwrap_or_default());
    let frame = |function: Cow<'profile, str>, file, line, inlined| Frame {
        std: is_of_std(&function),
        function,
        file,
        line,
        module: module.clone(),
        inlined,
    };
    let last = location.lines.len().saturating_sub(1);
    let known = location.lines.iter().enumerate().filter_map(|(position, line)| {
        let function = profile.function(line.function)?;
        let (name, file) = (frames::printable(&function.name), frames::printable(&function.file));
        Some(frame(name, file, line.line, position != last))
    });
    let known: Vec<Frame<'profile>> = known.collect();
    if !known.is_empty() {
        return known;
    }
    vec![frame(Cow::Owned(frames::unnamed(profile, location)), Cow::Borrowed(""), 0, false)]
}

fn rfc_3339(time: SystemTime) -> Option<String> {
    Some(format!("{:.3}", Timestamp::try_from(time).ok()?))
}

// As serde asks them.
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_false(value: &bool) -> bool {
    !value
}
