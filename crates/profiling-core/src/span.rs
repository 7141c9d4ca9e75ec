//! What happened between two snapshots.

use std::time::Duration;

use allometer_profile::{
    Amount, Estimate, Figures, Loss, Metadata, Profile, ProfileBuilder, RawFrame, ReturnAddress, Symbolizer,
};

use crate::{Lost, SiteId, Snapshot, capture::TRUNCATED, sampler::Weight, snapshot::Counted, thread};

/// What happened between two snapshots of a session: allocated in between, live at the later one.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// None: the session's start.
    before: Option<&'a Snapshot>,
    after: &'a Snapshot,
}

/// What one site did in a span.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SiteSpan {
    /// The site.
    pub id: SiteId,
    /// Requests that were sampled there.
    pub samples: u64,
    /// Of the allocated objects, how many were requested by `realloc`: an estimate.
    pub reallocs: f64,
    /// Allocated in the span, live at its end.
    pub figures: Figures,
}

impl<'a> Span<'a> {
    pub(crate) fn new(before: Option<&'a Snapshot>, after: &'a Snapshot) -> Self {
        Self { before, after }
    }

    /// The sites at which something was allocated in the span, or is live at its end.
    pub fn sites(&self) -> impl Iterator<Item = SiteSpan> + 'a {
        let interval = self.after.interval();
        self.counted().filter(|(_, counted)| counted.samples != 0 || counted.live.objects != 0).map(
            move |(id, counted)| SiteSpan {
                id,
                samples: counted.samples,
                reallocs: interval
                    .amount(Weight { objects: counted.reallocs, ..Weight::default() })
                    .objects
                    .value,
                figures: counted.figures(interval),
            },
        )
    }

    fn counted(&self) -> impl Iterator<Item = (SiteId, Counted)> + 'a {
        let earlier = self.before.map(Snapshot::counted).unwrap_or_default();
        (0..).zip(self.after.counted()).map(move |(site, counted)| {
            let before = earlier.get(site as usize).copied().unwrap_or_default();
            (SiteId(site), counted.since(before))
        })
    }

    /// Allocated in the span and live at its end, over all sites.
    pub fn totals(&self) -> Figures {
        self.sites().map(|site| site.figures).sum()
    }

    /// How long the span is.
    pub fn duration(&self) -> Duration {
        self.after.elapsed() - self.age_at_start()
    }

    fn age_at_start(&self) -> Duration {
        self.before.map(Snapshot::elapsed).unwrap_or_default()
    }

    /// The span with names: looks up each address in the code that is loaded now.
    ///
    /// Takes its time, opens the files of the program and its libraries, and allocates; what this thread
    /// requests meanwhile is not sampled.
    pub fn profile(&self) -> Profile {
        thread::with(|thread| {
            thread.inside(|| {
                let mut builder = ProfileBuilder::new(self.metadata());
                for site in self.sites() {
                    builder.add(self.stack(site.id), site.figures);
                }
                builder.finish(&mut Symbolizer::new())
            })
        })
    }

    /// The stack of a site, leaf first, without the allocator's shim.
    fn stack(&self, site: SiteId) -> Vec<RawFrame> {
        let tables = &self.after.tables;
        let frame = |word| match word {
            TRUNCATED => RawFrame::Marker("[truncated]"),
            address => RawFrame::Address(ReturnAddress::new(address as u64)),
        };
        if site == SiteId::FULL {
            return vec![RawFrame::Marker("[site table full]")];
        }
        let stack: Vec<_> = tables.probe.without_shim(tables.sites.stack(site)).map(frame).collect();
        if stack.is_empty() { vec![RawFrame::Marker("[no stack]")] } else { stack }
    }

    fn metadata(&self) -> Metadata {
        let tables = &self.after.tables;
        let site_overflow = loss("samples beyond the bound of the site table", self.after.site_overflow());
        let untracked = loss("objects beyond the live bound, not followed", self.after.untracked());
        Metadata {
            start: tables.started_at.checked_add(self.age_at_start()),
            duration: self.duration(),
            sample_interval: tables.interval.bytes(),
            provider: tables.probe.provider().map(str::to_owned),
            live: tables.live_heap,
            losses: [site_overflow, untracked].into_iter().flatten().collect(),
            ..Metadata::default()
        }
    }
}

/// A loss of the session until the span's end, for the profile to show, if there is one.
fn loss(what: &str, lost: Lost) -> Option<Loss> {
    let amount = Amount { objects: Estimate::exact(lost.objects), bytes: Estimate::exact(lost.bytes) };
    (lost.samples != 0).then(|| Loss { what: what.to_owned(), events: lost.samples, amount })
}
