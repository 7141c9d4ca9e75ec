use allometer_profile::SampleType;
use allometer_views::{PlaceRow, Ranking, stats};
use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::input::Inputs;
use crate::json::{self, JsonAmount, JsonClass, JsonFigures, JsonLifetimes, JsonLoss, JsonProviderFigure};
use crate::output::Output;

/// Shows a profile in figures: totals, sizes, lifetimes, the first places, tags, what is missing
#[derive(Args, Debug)]
pub(crate) struct Stats {
    #[command(flatten)]
    inputs: Inputs,
    /// So many places at most by each figure
    #[arg(short = 'n', long = "number", value_name = "N", default_value_t = 5)]
    number: usize,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Stats {
    pub(crate) fn run(self) -> Result<(), Error> {
        let stats = stats(&self.inputs.read()?, self.number);
        if self.json {
            return json::print(&Answer::of(stats));
        }
        Output::Standard.write(stats.to_string().as_bytes())
    }
}

/// The same for another program.
#[derive(Serialize)]
struct Answer {
    sample_interval: u64,
    live: bool,
    duration_seconds: f64,
    allocated_bytes_per_second: Option<f64>,
    total: JsonFigures,
    /// The live heap at its largest, if that is known, and when it was.
    peak: Option<JsonAmount>,
    peak_seconds: Option<f64>,
    sizes: Vec<JsonClass>,
    lifetimes: Option<JsonLifetimes>,
    ages: Option<JsonLifetimes>,
    rankings: Vec<JsonRanking>,
    tags: Vec<JsonTag>,
    provider_figures: Vec<JsonProviderFigure>,
    losses: Vec<JsonLoss>,
}

#[derive(Serialize)]
struct JsonRanking {
    /// The figure that it is by, as pprof files call it.
    by: &'static str,
    places: Vec<JsonPlace>,
    more_places: usize,
}

#[derive(Serialize)]
struct JsonPlace {
    place: String,
    #[serde(flatten)]
    figures: JsonFigures,
}

#[derive(Serialize)]
struct JsonTag {
    /// `None` for what has none.
    tag: Option<String>,
    #[serde(flatten)]
    figures: JsonFigures,
}

impl Answer {
    fn of(stats: allometer_views::Stats) -> Self {
        let metadata = &stats.metadata;
        let size = |class: usize| if class == 0 { 0.0 } else { (class as f64 - 1.0).exp2() };
        Self {
            sample_interval: metadata.sample_interval,
            live: metadata.live,
            duration_seconds: metadata.duration.as_secs_f64(),
            allocated_bytes_per_second: stats.bytes_per_second(),
            total: stats.total.into(),
            peak: metadata.peak.map(|_| stats.peak.into()),
            peak_seconds: metadata.peak.map(|at| at.as_secs_f64()),
            sizes: json::classes(&metadata.sizes, size),
            lifetimes: JsonLifetimes::of(&stats.lifetimes),
            ages: JsonLifetimes::of(&stats.ages),
            provider_figures: metadata.provider_figures.iter().map(JsonProviderFigure::from).collect(),
            losses: metadata.losses.iter().map(JsonLoss::from).collect(),
            rankings: stats.rankings.into_iter().map(JsonRanking::from).collect(),
            tags: stats
                .tags
                .into_iter()
                .map(|(tag, figures)| JsonTag { tag, figures: figures.into() })
                .collect(),
        }
    }
}

impl From<Ranking> for JsonRanking {
    fn from(Ranking { sample_type, rows, hidden }: Ranking) -> Self {
        let place = |PlaceRow { place, figures }| JsonPlace { place, figures: figures.into() };
        Self {
            by: SampleType::name(sample_type),
            places: rows.into_iter().map(place).collect(),
            more_places: hidden,
        }
    }
}
