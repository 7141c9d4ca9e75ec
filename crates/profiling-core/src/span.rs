//! What happened between two snapshots.

mod raw_frames;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allometer_profile::{
    Amount, Estimate, Figures, Growth, Lifetimes, LiveObject, Loss, Metadata, Profile, ProfileBuilder,
    RawFrame, SampleType, Symbolizer, growth, slack,
};
use raw_frames::RawFrames;

use crate::{
    Lost, SiteId, Snapshot, Tag,
    probe::SHIMS,
    sampler::Weight,
    snapshot::{Baseline, Grown, Held},
    thread,
};

/// What happened between two snapshots of a session: allocated in between, live at the later one.
#[derive(Clone, Copy, Debug)]
pub struct Span<'a> {
    /// None: the session's start.
    baseline: Option<&'a Baseline>,
    /// Whose live samples are known of the start.
    before: Option<&'a Snapshot>,
    after: &'a Snapshot,
    /// Whether the live figures are those of the peak, and not those of the end.
    at_peak: bool,
    /// Only the sites of this scope.
    scope: Option<u32>,
}

/// What one site did in a span.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SiteSpan {
    /// The site.
    pub id: SiteId,
    /// The tag of its requests, if they have one.
    pub tag: Option<Tag>,
    /// Requests that were sampled there.
    pub samples: u64,
    /// Of the allocated objects, how many were requested by `realloc`: an estimate.
    pub reallocs: f64,
    /// Allocated in the span, live at its end.
    pub figures: Figures,
    /// What was live there when the whole live heap was at its largest.
    pub peak: Amount,
    /// How long the objects lived that were freed in the span, if the session keeps that.
    pub lifetimes: Option<Box<Lifetimes>>,
}

impl<'a> Span<'a> {
    pub(crate) fn since(baseline: &'a Baseline, after: &'a Snapshot) -> Self {
        Self { baseline: Some(baseline), ..Self::until(after) }
    }

    /// The same span, which began with this snapshot.
    pub(crate) fn with_live_of(self, before: &'a Snapshot) -> Self {
        Self { before: Some(before), ..self }
    }

    pub(crate) fn until(after: &'a Snapshot) -> Self {
        Self { baseline: None, before: None, after, at_peak: false, scope: None }
    }

    pub(crate) fn until_peak(after: &'a Snapshot) -> Self {
        Self { at_peak: true, ..Self::until(after) }
    }

    pub(crate) fn of_scope(after: &'a Snapshot, scope: u32) -> Self {
        Self { scope: Some(scope), ..Self::until(after) }
    }

    /// The sites at which something was allocated in the span, is live at its end, or was live at the session's peak.
    pub fn sites(&self) -> impl Iterator<Item = SiteSpan> + 'a {
        let interval = self.after.interval();
        let reallocs = move |objects| interval.amount(Weight { objects, ..Weight::default() }).objects.value;
        let sites = &self.after.tables.sites;
        let at_peak = self.at_peak;
        let site = move |(id, grown, held): (SiteId, Grown, Held)| SiteSpan {
            id,
            tag: sites.context(id).tag(),
            samples: grown.samples,
            reallocs: reallocs(grown.reallocs),
            figures: grown.figures(if at_peak { held.at_peak } else { held.live }, interval),
            peak: interval.amount(held.at_peak),
            lifetimes: grown.lifetimes,
        };
        let scope = self.scope;
        let is_in_scope = move |id| scope.is_none_or(|scope| sites.context(id).scope() == scope);
        let is_used = move |(id, grown, held): &(SiteId, Grown, Held)| {
            (grown.samples != 0 || held.live.objects != 0 || held.at_peak.objects != 0) && is_in_scope(*id)
        };
        self.counted().filter(is_used).map(site)
    }

    /// What grew at each site, and what is held of it.
    fn counted(&self) -> impl Iterator<Item = (SiteId, Grown, Held)> + 'a {
        let earlier = self.baseline.map(|baseline| &*baseline.grown).unwrap_or_default();
        let sites = (0..).zip(self.after.grown()).zip(self.after.held());
        sites.map(move |((site, grown), held)| (SiteId(site), grown.since(earlier.get(site as usize)), *held))
    }

    /// Estimated objects allocated in the span, by size, as [`Snapshot::sizes`].
    pub fn sizes(&self) -> Vec<f64> {
        let earlier = self.baseline.map(|baseline| &*baseline.sizes).unwrap_or_default().iter();
        let earlier = earlier.copied().chain(std::iter::repeat(0.0));
        self.after.sizes().iter().zip(earlier).map(|(now, before)| now - before).collect()
    }

    /// Allocated in the span and live at its end, over all sites.
    pub fn totals(&self) -> Figures {
        self.sites().map(|site| site.figures).sum()
    }

    /// How much the live heap of a site grew in the span; negative where it shrank.
    ///
    /// Samples that were live at both ends are no noise of the growth: see [`growth`].
    pub fn growth(&self, site: SiteId) -> Growth {
        let live = |snapshot: &Snapshot| snapshot.live_objects(site).collect::<Vec<_>>();
        growth(&self.before.map(live).unwrap_or_default(), &live(self.after))
    }

    /// How long the span is.
    pub fn duration(&self) -> Duration {
        self.after.elapsed() - self.age_at_start()
    }

    fn age_at_start(&self) -> Duration {
        self.baseline.map(Baseline::elapsed).unwrap_or_default()
    }

    /// The span with names, as far as [`Config::symbolization`](crate::Config::symbolization) wants them: those of the code
    /// that is loaded now, and of libraries that were unloaded, if their files are still there. A name is right or absent:
    /// a file is used if it is the one that was loaded.
    ///
    /// Takes its time, opens the files of the program and its libraries, and allocates; what this thread
    /// requests meanwhile is not sampled. Names that were found before are not kept; see [`Span::profile_with`].
    pub fn profile(&self) -> Profile {
        self.profile_with(&mut Symbolizer::with(self.after.tables.symbolization))
    }

    /// The same with a symbolizer that is kept for the next profile, and with as much as that one looks up: only
    /// addresses that it has not seen are looked up, and no file is opened where there are none.
    pub fn profile_with(&self, symbolizer: &mut Symbolizer) -> Profile {
        thread::with(|thread| {
            thread.inside(|| {
                let tables = &self.after.tables;
                let names_by_address = tables.names_by_address();
                let profile = self.build(names_by_address, symbolizer);
                if names_by_address && !tables.names_by_address() {
                    // Something was unloaded meanwhile, perhaps before the profiler looked what was loaded.
                    return self.build(false, symbolizer);
                }
                profile
            })
        })
    }

    /// `names_by_address` is as for [`RawFrames`].
    fn build(&self, names_by_address: bool, symbolizer: &mut Symbolizer) -> Profile {
        let mut frames = RawFrames::new(self.after.tables.unwinder, names_by_address);
        let mut builder = ProfileBuilder::new(self.metadata());
        let mut tags = BTreeMap::<Tag, Arc<str>>::new();
        for site in self.sites() {
            let stack = self.stack(site.id, &mut frames, &mut builder);
            let sample = builder.add(stack, site.figures);
            sample.tag = site.tag.map(|tag| tags.entry(tag).or_insert_with(|| self.name(tag)).clone());
            sample.peak = site.peak;
            sample.lifetimes = site.lifetimes;
            sample.live_objects = self.live_objects(site.id);
            sample.slack = self.slack(&sample.live_objects);
        }
        builder.finish(symbolizer)
    }

    fn name(&self, tag: Tag) -> Arc<str> {
        self.after.tables.names.name(tag).into()
    }

    /// The samples behind the live figures; the ones of a peak are not kept.
    fn live_objects(&self, site: SiteId) -> Vec<LiveObject> {
        if self.at_peak { Vec::new() } else { self.after.live_objects(site).collect() }
    }

    /// That of all sites together.
    pub(crate) fn total_slack(&self) -> Option<Estimate> {
        let nothing = self.slack(&[])?;
        self.sites().try_fold(nothing, |sum, site| Some(sum + self.slack(&self.live_objects(site.id))?))
    }

    /// What the blocks of live objects have beyond what was requested, if these are kept and the allocator can tell.
    fn slack(&self, objects: &[LiveObject]) -> Option<Estimate> {
        let tables = &self.after.tables;
        let good_size = tables.probe.provider()?.good_size?;
        (tables.live_heap && !self.at_peak).then(|| slack(objects, good_size))
    }

    /// The stack of a site, leaf first, without the allocator's shim.
    fn stack(&self, site: SiteId, frames: &mut RawFrames, builder: &mut ProfileBuilder) -> Vec<RawFrame> {
        let tables = &self.after.tables;
        let words = tables.probe.without_shim(tables.sites.stack(site));
        let stack: Vec<RawFrame> = words.map(|word| frames.frame(builder, word)).collect();
        match (stack.is_empty(), site) {
            (false, _) => stack,
            (true, SiteId::FULL) => vec![RawFrame::Marker("[site table full]")],
            (true, _) => vec![RawFrame::Marker("[no stack]")],
        }
    }

    /// The compiler's shims, and the functions in which a provider that samples for itself takes stacks.
    fn left_out_at_leaf(&self) -> Vec<String> {
        let own = self.after.tables.probe.provider().map_or(&[][..], |provider| provider.own_functions);
        SHIMS.iter().chain(own).copied().map(str::to_owned).collect()
    }

    /// What a profile of the span says about itself.
    pub fn metadata(&self) -> Metadata {
        let tables = &self.after.tables;
        let site_overflow = loss("samples beyond the bound of the site table", self.after.site_overflow());
        let untracked = loss("objects beyond the live bound, not followed", self.after.untracked());
        let doublings = self.after.doublings();
        let mut comments = Vec::new();
        if doublings > 0 {
            let first = tables.interval.bytes();
            comments.push(format!(
                "the live table was thinned: the interval doubled {doublings} times from {first} bytes"
            ));
        }
        let lost_frames = tables.lost_frames();
        if lost_frames > 0 {
            comments.push(format!("{lost_frames} frames, over all samples, in libraries beyond the bound"));
        }
        let refused = tables.tags.refused();
        if refused > 0 {
            let (max, others) = (tables.tags.max(), self.name(Tag::OTHERS));
            comments.push(format!("{refused} tags beyond the bound of {max}, counted together as {others}"));
        }
        let [giants, refused] = tables.giants.counts();
        if giants > 0 {
            let limit = tables.giants.limit();
            comments.push(format!("{giants} requests of more than {limit} bytes, {refused} of them refused"));
        }
        if self.at_peak {
            let after = self.after.peak_at();
            comments.push(format!("live figures are those of the peak, {after:.3?} after the start"));
        }
        Metadata {
            session: (!self.at_peak).then(|| tables.identity()),
            elapsed: self.after.elapsed(),
            start: tables.started_at.checked_add(self.age_at_start()),
            duration: self.duration(),
            sample_interval: tables.interval.doubled(doublings).bytes(),
            provider: tables.probe.provider().map(|provider| provider.name.to_owned()),
            live: tables.live_heap,
            default_type: if tables.live_heap { SampleType::LiveBytes } else { SampleType::AllocBytes },
            losses: [site_overflow, untracked].into_iter().flatten().collect(),
            peak: tables.live_heap.then(|| self.after.peak_at()),
            sizes: self.sizes(),
            left_out_at_leaf: self.left_out_at_leaf(),
            comments,
            ..Metadata::default()
        }
    }
}

/// A loss of the session until the span's end, for the profile to show, if there is one.
fn loss(what: &str, lost: Lost) -> Option<Loss> {
    let amount = Amount { objects: Estimate::exact(lost.objects), bytes: Estimate::exact(lost.bytes) };
    (lost.samples != 0).then(|| Loss { what: what.to_owned(), events: lost.samples, amount })
}
