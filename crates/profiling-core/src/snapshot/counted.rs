//! The counters of one site at one moment.

use std::sync::atomic::Ordering::Acquire;

use allometer_profile::{Figures, Lifetimes};

use crate::{
    sampler::{Interval, Weight},
    sites::SiteId,
    tables::Tables,
};

/// The counters of one site at one moment, cumulative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) samples: u64,
    /// In the fixed point of [`Weight::objects`].
    pub(crate) reallocs: u128,
    pub(crate) alloc: Weight,
    pub(crate) live: Weight,
    pub(crate) at_peak: Weight,
    lifetimes: Option<Box<Lifetimes>>,
}

impl Counted {
    pub(crate) fn read(tables: &Tables, site: SiteId) -> Self {
        let counters = tables.sites.counters(site);
        // What is live first: then no site shows more live than allocated.
        let (at_peak, live) = (tables.peak.of(counters), counters.live.load());
        let lifetimes = tables.lifetimes.get(site.0 as usize);
        Self {
            at_peak,
            live,
            alloc: counters.alloc.load(),
            reallocs: counters.reallocs.load(),
            samples: counters.samples.load(Acquire),
            lifetimes: lifetimes.map(|classes| Box::new(Lifetimes { objects: classes.load() })),
        }
    }

    /// Samples and what they stand for.
    pub(crate) fn allocated(&self) -> (u64, Weight) {
        (self.samples, self.alloc)
    }

    /// What was counted since `earlier`; what is live stays.
    pub(crate) fn since(&self, earlier: Option<&Self>) -> Self {
        let Some(earlier) = earlier else { return self.clone() };
        let lifetimes = self.lifetimes.as_ref().map(|mine| {
            let before = earlier.lifetimes.clone().unwrap_or_default();
            let objects = std::array::from_fn(|class| mine.objects[class] - before.objects[class]);
            Box::new(Lifetimes { objects })
        });
        Self {
            samples: self.samples.saturating_sub(earlier.samples),
            reallocs: self.reallocs.saturating_sub(earlier.reallocs),
            alloc: self.alloc.since(earlier.alloc),
            live: self.live,
            at_peak: self.at_peak,
            lifetimes,
        }
    }

    pub(crate) fn figures(&self, interval: Interval) -> Figures {
        Figures { alloc: interval.amount(self.alloc), live: interval.amount(self.live) }
    }

    pub(crate) fn lifetimes(self) -> Option<Box<Lifetimes>> {
        self.lifetimes
    }
}
