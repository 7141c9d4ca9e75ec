mod text;

use std::collections::BTreeSet;

use allometer_profile::{Loss, Mapping, Profile};
use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::input::Inputs;
use crate::json::{self, JsonAmount, JsonFigures};
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
        let text = text::of(&profile, &self.inputs.name(), &Counted::of(&profile));
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

/// The same for another program.
#[derive(Serialize)]
struct Answer {
    live: bool,
    sample_interval: u64,
    provider: Option<String>,
    /// In the form of RFC 3339.
    start: Option<String>,
    duration_seconds: f64,
    #[serde(flatten)]
    counted: Counted,
    total: JsonFigures,
    mappings: Vec<JsonMapping>,
    losses: Vec<JsonLoss>,
    comments: Vec<String>,
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

#[derive(Serialize)]
struct JsonLoss {
    what: String,
    events: u64,
    amount: JsonAmount,
}

impl Answer {
    fn of(profile: &Profile) -> Self {
        let metadata = &profile.metadata;
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
        let loss = |loss: &Loss| JsonLoss {
            what: loss.what.clone(),
            events: loss.events,
            amount: loss.amount.into(),
        };
        Self {
            live: metadata.live,
            sample_interval: metadata.sample_interval,
            provider: metadata.provider.clone(),
            start: metadata.start.map(text::time),
            duration_seconds: metadata.duration.as_secs_f64(),
            counted: Counted::of(profile),
            total: profile.with_assumed_errors().total().into(),
            mappings: profile.mappings.iter().map(mapping).collect(),
            losses: metadata.losses.iter().map(loss).collect(),
            comments: metadata.comments.clone(),
        }
    }
}
