//! Figures as JSON.

use allometer_core::MemoryUse;
use allometer_views::{
    gap_of,
    json_parts::{Lost, Measured, MeasuredBytes, MemoryParts, OfProvider},
};
use serde::Serialize;

use crate::figures::{Figures, SessionFigures};

/// The value of `schema`: it changes when a field changes its meaning or goes; new fields do not change it.
const SCHEMA: &str = "allometer-stats/1";

/// What the page, and programs, are told of a session and of the process.
#[derive(Serialize)]
struct Document<'figures> {
    schema: &'static str,
    active: bool,
    can_start: bool,
    can_purge: bool,
    #[serde(flatten)]
    session: OfSession<'figures>,
    resident: Option<Memory>,
    cgroup: Option<Memory>,
}

/// All null, or empty, where there is no session.
#[derive(Default, Serialize)]
struct OfSession<'figures> {
    session: Option<String>,
    elapsed_seconds: Option<f64>,
    sample_interval_bytes: Option<u64>,
    samples: Option<u64>,
    sites: Option<usize>,
    live_samples: Option<usize>,
    tags: Option<usize>,
    threads: Option<u64>,
    unwinding: Option<&'static str>,
    portable_stacks: Option<u64>,
    lost_frames: Option<u64>,
    giants: Option<u64>,
    refused_giants: Option<u64>,
    reserved_bytes: Option<usize>,
    live_recorded: Option<bool>,
    live: Option<Measured>,
    allocated: Option<Measured>,
    losses: Vec<Lost<'figures>>,
    provider: Option<&'figures str>,
    provider_figures: Vec<OfProvider<'figures>>,
    slack: Option<MeasuredBytes>,
    memory: Option<MemoryParts>,
}

#[derive(Serialize)]
struct Memory {
    used: u64,
    limit: u64,
}

/// One JSON object.
pub(crate) fn json(figures: &Figures, can_start: bool, can_purge: bool) -> String {
    let memory = |memory: Option<MemoryUse>| memory.map(|MemoryUse { used, limit }| Memory { used, limit });
    let document = Document {
        schema: SCHEMA,
        active: figures.session.is_some(),
        can_start,
        can_purge,
        session: figures.session.as_ref().map(OfSession::of).unwrap_or_default(),
        resident: memory(figures.resident),
        cgroup: memory(figures.control_group),
    };
    // Writing to memory cannot fail, and neither can these types.
    serde_json::to_string(&document).unwrap_or_default()
}

/// A number of 64 bits is more than JSON's readers keep.
pub(crate) fn identity(session: u64) -> String {
    format!("{session:016x}")
}

impl<'figures> OfSession<'figures> {
    fn of(figures: &'figures SessionFigures) -> Self {
        let SessionFigures { stats, number, metadata, amounts, slack } = figures;
        Self {
            session: Some(identity(*number)),
            elapsed_seconds: Some(metadata.elapsed.as_secs_f64()),
            sample_interval_bytes: Some(metadata.sample_interval),
            samples: stats.samples,
            sites: stats.sites,
            live_samples: stats.live_samples,
            tags: stats.tags,
            threads: stats.threads,
            unwinding: stats.unwinding,
            portable_stacks: stats.portable_stacks,
            lost_frames: stats.lost_frames,
            giants: Some(stats.giants),
            refused_giants: Some(stats.refused_giants),
            reserved_bytes: stats.reserved_bytes,
            live_recorded: Some(metadata.live),
            live: Some(Measured::of(amounts.live)),
            allocated: Some(Measured::of(amounts.alloc)),
            losses: metadata.losses.iter().map(Lost::of).collect(),
            provider: metadata.provider.as_deref(),
            provider_figures: metadata.provider_figures.iter().map(OfProvider::of).collect(),
            slack: slack.map(MeasuredBytes::from),
            memory: gap_of(metadata, amounts.live.bytes, *slack).map(MemoryParts::from),
        }
    }
}
