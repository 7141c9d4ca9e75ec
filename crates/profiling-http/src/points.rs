//! How memory went: a figure now and then.

use std::collections::VecDeque;

use allometer_profile::{Estimate, ProviderFigure};

use crate::figures::Figures;

/// Most points that are kept: two hours of one in ten seconds.
pub(crate) const MAX: usize = 720;

/// What was known at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Milliseconds since 1970.
    pub(crate) time: u64,
    pub(crate) session: u64,
    pub(crate) live: Estimate,
    pub(crate) live_objects: f64,
    pub(crate) allocated: f64,
    pub(crate) resident: Option<u64>,
    pub(crate) control_group: Option<u64>,
    pub(crate) provider_figures: Vec<ProviderFigure>,
}

impl Point {
    /// None without a session.
    pub(crate) fn of(time: u64, figures: &Figures) -> Option<Self> {
        let session = figures.session.as_ref()?;
        Some(Self {
            time,
            session: session.number,
            live: session.amounts.live.bytes,
            live_objects: session.amounts.live.objects.value,
            allocated: session.amounts.alloc.bytes.value,
            resident: figures.resident.map(|memory| memory.used),
            control_group: figures.control_group.map(|memory| memory.used),
            provider_figures: session.metadata.provider_figures.clone(),
        })
    }
}

/// The last points, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Points(VecDeque<Point>);

impl Points {
    pub(crate) fn add(&mut self, point: Point) {
        if self.0.len() == MAX {
            self.0.pop_front();
        }
        self.0.push_back(point);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Point> {
        self.0.iter()
    }
}
