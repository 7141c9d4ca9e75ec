use std::time::Duration;

use allometer_views::json_parts::OfProvider;
use serde::Serialize;

use super::Kept;
use crate::{moments::Moment, points::Point, stats::identity};

/// The value of `schema`: it changes when a field changes its meaning or goes; new fields do not change it.
const SCHEMA: &str = "allometer-history/1";

#[derive(Serialize)]
struct Document<'kept> {
    schema: &'static str,
    every_seconds: f64,
    points: Vec<OfPoint<'kept>>,
    moments: Vec<OfMoment>,
}

#[derive(Serialize)]
struct OfPoint<'kept> {
    time_ms: u64,
    session: String,
    live_bytes: f64,
    live_bytes_error: f64,
    live_objects: f64,
    allocated_bytes: f64,
    resident_bytes: Option<u64>,
    cgroup_bytes: Option<u64>,
    provider_figures: Vec<OfProvider<'kept>>,
}

#[derive(Serialize)]
struct OfMoment {
    id: u64,
    time_ms: u64,
    live_bytes: f64,
    live_bytes_error: f64,
}

pub(super) fn json(kept: &Kept, every: Duration) -> String {
    let document = Document {
        schema: SCHEMA,
        every_seconds: every.as_secs_f64(),
        points: kept.points.iter().map(OfPoint::of).collect(),
        moments: kept.moments.iter().map(OfMoment::of).collect(),
    };
    // Writing to memory cannot fail, and neither can these types.
    serde_json::to_string(&document).unwrap_or_default()
}

impl<'kept> OfPoint<'kept> {
    fn of(point: &'kept Point) -> Self {
        Self {
            time_ms: point.time,
            session: identity(point.session),
            live_bytes: point.live.value,
            live_bytes_error: point.live.standard_error(),
            live_objects: point.live_objects,
            allocated_bytes: point.allocated,
            resident_bytes: point.resident,
            cgroup_bytes: point.control_group,
            provider_figures: point.provider_figures.iter().map(OfProvider::of).collect(),
        }
    }
}

impl OfMoment {
    fn of(moment: &Moment) -> Self {
        let Moment { id, time, live, .. } = *moment;
        Self { id, time_ms: time, live_bytes: live.value, live_bytes_error: live.standard_error() }
    }
}
