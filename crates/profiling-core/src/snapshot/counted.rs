//! The counters of one site at one moment.

use allometer_profile::{Figures, Lifetimes};

use crate::{
    sampler::{Interval, Weight},
    sites::SiteId,
    sync::Ordering::Acquire,
    tables::Tables,
};

/// What only grows, cumulative: what a later moment is compared with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grown {
    pub(crate) samples: u64,
    /// In the fixed point of [`Weight::objects`].
    pub(crate) reallocs: u128,
    pub(crate) alloc: Weight,
    pub(crate) lifetimes: Option<Box<Lifetimes>>,
}

/// What is live, and was at the peak.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    pub(crate) live: Weight,
    pub(crate) at_peak: Weight,
}

impl Held {
    pub(crate) fn read(tables: &Tables, site: SiteId) -> Self {
        let counters = tables.sites.counters(site);
        Self { at_peak: tables.peak.of(counters), live: counters.live.load() }
    }
}

impl Grown {
    pub(crate) fn read(tables: &Tables, site: SiteId) -> Self {
        let counters = tables.sites.counters(site);
        let lifetimes = tables.lifetimes.get(site.0 as usize);
        Self {
            alloc: counters.alloc.load(),
            reallocs: counters.reallocs.load(),
            samples: counters.samples.load(Acquire),
            lifetimes: lifetimes.map(|classes| Box::new(Lifetimes { objects: classes.load() })),
        }
    }

    /// What was counted since `earlier`.
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
            lifetimes,
        }
    }

    pub(crate) fn figures(&self, live: Weight, interval: Interval) -> Figures {
        Figures { alloc: interval.amount(self.alloc), live: interval.amount(live) }
    }
}
