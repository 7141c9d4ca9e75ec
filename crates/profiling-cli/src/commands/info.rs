mod text;

use std::collections::BTreeSet;
use std::time::Duration;

use allometer_profile::{Amount, Lifetimes, Mapping, Profile};
use allometer_views::{gap, json_parts::MemoryParts};
use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::input::Inputs;
use crate::json::{self, JsonAmount, JsonEstimate, JsonFigures, JsonLifetimes, JsonLoss, JsonProviderFigure};
use crate::output::Output;

/// Shows what a profile is: how it was made, how much is in it, what it lacks
#[derive(Args, Debug)]
pub(crate) struct Info {
    #[command(flatten)]
    inputs: Inputs,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn run(self) -> Result<(), Error> {
        let profile = self.inputs.read()?;
        if self.json {
            return json::print(&Answer::of(&profile));
        }
        let text = text::of(&profile, &self.inputs.name(), &Counted::of(&profile), &Recorded::of(&profile));
        Output::Standard.write(text.as_bytes())
    }
}

/// How much is in the tables of a profile.
#[derive(Serialize)]
struct Counted {
    samples: usize,
    /// Different ones.
    stacks: usize,
    /// Different ones.
    tags: usize,
    locations: usize,
    functions: usize,
    /// Locations of which no function is known.
    without_name: usize,
}

impl Counted {
    fn of(profile: &Profile) -> Self {
        let stacks: BTreeSet<_> = profile.samples.iter().map(|sample| &sample.stack).collect();
        let tags: BTreeSet<_> = profile.samples.iter().filter_map(|sample| sample.tag.as_deref()).collect();
        Self {
            samples: profile.samples.len(),
            stacks: stacks.len(),
            tags: tags.len(),
            locations: profile.locations.len(),
            functions: profile.functions.len(),
            without_name: profile.locations.iter().filter(|location| location.lines.is_empty()).count(),
        }
    }
}

/// What only profiles of this project's own profiler have.
struct Recorded {
    /// When the live heap was at its largest, since the session's start, and how large it was.
    peak: Option<(Duration, Amount)>,
    /// Sampled objects that the live figures are the sum of.
    live_objects: usize,
    lifetimes: Lifetimes,
}

impl Recorded {
    fn of(profile: &Profile) -> Self {
        let mut lifetimes = Lifetimes::default();
        for sample in &profile.samples {
            if let Some(lived) = &sample.lifetimes {
                lifetimes += lived;
            }
        }
        let amount = profile.samples.iter().fold(Amount::default(), |peak, sample| peak + sample.peak);
        Self {
            peak: profile.metadata.peak.map(|at| (at, amount)),
            live_objects: profile.samples.iter().map(|sample| sample.live_objects.len()).sum(),
            lifetimes,
        }
    }
}

/// The same for another program.
#[derive(Serialize)]
struct Answer {
    live: bool,
    sample_interval: u64,
    provider: Option<String>,
    /// In the form of RFC 3339.
    start: Option<String>,
    duration_seconds: f64,
    /// The session's age at the end of the profile; `None` where it is not known.
    elapsed_seconds: Option<f64>,
    #[serde(flatten)]
    counted: Counted,
    /// Samples of live objects that are in the file.
    sampled_live_objects: usize,
    total: JsonFigures,
    peak: Option<JsonPeak>,
    lifetimes: Option<JsonLifetimes>,
    provider_figures: Vec<JsonProviderFigure>,
    resident: Option<u64>,
    slack: Option<JsonEstimate>,
    memory: Option<MemoryParts>,
    mappings: Vec<JsonMapping>,
    losses: Vec<JsonLoss>,
    comments: Vec<String>,
}

/// The live heap at its largest.
#[derive(Serialize)]
struct JsonPeak {
    /// Since the session's start.
    seconds: f64,
    #[serde(flatten)]
    amount: JsonAmount,
}

#[derive(Serialize)]
struct JsonMapping {
    path: String,
    build_id: Option<String>,
    start: u64,
    limit: u64,
    offset: u64,
    functions: bool,
    files: bool,
    lines: bool,
    inlines: bool,
}

impl Answer {
    fn of(profile: &Profile) -> Self {
        let metadata = &profile.metadata;
        let recorded = Recorded::of(profile);
        let peak =
            |(at, amount): (Duration, Amount)| JsonPeak { seconds: at.as_secs_f64(), amount: amount.into() };
        let mapping = |mapping: &Mapping| JsonMapping {
            path: mapping.path.clone(),
            build_id: mapping.build_id.clone(),
            start: mapping.start,
            limit: mapping.limit,
            offset: mapping.offset,
            functions: mapping.symbols.functions,
            files: mapping.symbols.files,
            lines: mapping.symbols.lines,
            inlines: mapping.symbols.inlines,
        };
        Self {
            live: metadata.live,
            sample_interval: metadata.sample_interval,
            provider: metadata.provider.clone(),
            start: metadata.start.map(text::time),
            duration_seconds: metadata.duration.as_secs_f64(),
            elapsed_seconds: metadata.session.map(|_| metadata.elapsed.as_secs_f64()),
            counted: Counted::of(profile),
            sampled_live_objects: recorded.live_objects,
            total: profile.with_assumed_errors().total().into(),
            peak: recorded.peak.map(peak),
            lifetimes: JsonLifetimes::of(&recorded.lifetimes),
            provider_figures: metadata.provider_figures.iter().map(JsonProviderFigure::from).collect(),
            resident: metadata.resident,
            slack: profile.slack().map(JsonEstimate::from),
            memory: gap(profile).map(MemoryParts::from),
            mappings: profile.mappings.iter().map(mapping).collect(),
            losses: metadata.losses.iter().map(JsonLoss::from).collect(),
            comments: metadata.comments.clone(),
        }
    }
}
