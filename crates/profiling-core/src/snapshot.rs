//! All counters of a session at one moment, cumulative, with the live samples.

mod baseline;
mod counted;

use std::{collections::TryReserveError, time::Duration};

use allometer_profile::{Figures, Lifetimes, LiveObject, Profile};

pub(crate) use baseline::Baseline;
pub(crate) use counted::{Grown, Held};

use crate::{
    Error, Lost, Span,
    live::Entry,
    sampler::{Interval, Weight},
    sites::SiteId,
    tables::{Shared, Tables},
    thread,
};

/// All counters of a session at one moment, cumulative since its start, with the live samples.
///
/// It is read beside the running program and stops nobody; what is on its way in another thread at that
/// moment is in it or not. It stays readable when the session has stopped.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) tables: Shared,
    baseline: Baseline,
    /// By site, as in the baseline.
    held: Vec<Held>,
    /// By site.
    live: Vec<LiveSample>,
    untracked: (u64, Weight),
    peak_at: u64,
    /// How often the interval had doubled.
    doublings: u32,
}

/// A sampled object that was not freed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveSample {
    /// Where it was allocated.
    pub site: SiteId,
    /// Requested bytes.
    pub size: usize,
    /// When it was allocated, as time since the session's start. An object keeps it when it is resized.
    pub birth: Duration,
    /// How often the interval had doubled when the sample was drawn, or last thinned.
    doublings: u32,
}

impl LiveSample {
    fn new(entry: Entry) -> Self {
        let Entry { site, size, birth, doublings } = entry;
        Self { site, size, birth: Duration::from_nanos(birth), doublings }
    }
}

impl Snapshot {
    /// Reads `tables`.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`]: the allocator did not give room for the counters.
    pub(crate) fn take(tables: &Tables) -> Result<Self, Error> {
        thread::with(|thread| {
            thread.inside(|| Self::read(tables).map_err(|_| Error::Memory { what: "a snapshot" }))
        })
    }

    fn read(tables: &Tables) -> Result<Self, TryReserveError> {
        let untracked = tables.untracked.load();
        let mut live = Vec::new();
        live.try_reserve_exact(if tables.live_heap { tables.live.len() } else { 0 })?;
        for entry in tables.live.entries() {
            live.try_reserve(1)?;
            live.push(LiveSample::new(entry));
        }
        live.sort_unstable_by_key(|sample| sample.site);
        // Later than the live samples, so that each of them has its site here.
        let sites = tables.sites.len();
        let (mut held, mut grown) = (Vec::new(), Vec::new());
        held.try_reserve_exact(sites)?;
        grown.try_reserve_exact(sites)?;
        for site in tables.sites.ids().take(sites) {
            // What is live first: then no site shows more live than allocated.
            held.push(Held::read(tables, site));
            grown.push(Grown::read(tables, site));
        }
        let mut sizes = Vec::new();
        let classes = tables.sizes.load();
        sizes.try_reserve_exact(classes.len())?;
        sizes.extend(classes);
        let baseline = Baseline { identity: tables.identity(), age: tables.age(), grown, sizes };
        let (peak_at, doublings) = (tables.peak.at(), tables.live.doublings());
        let tables = Shared::of(tables);
        Ok(Self { tables, baseline, held, live, untracked, peak_at, doublings })
    }

    /// What happened between `earlier` and this snapshot.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`] if the two are of different sessions, [`Error::WrongOrder`] if `earlier`
    /// is the later one.
    pub fn since<'a>(&'a self, earlier: &'a Self) -> Result<Span<'a>, Error> {
        self.since_baseline(&earlier.baseline).map(|span| span.with_live_of(earlier))
    }

    /// The same, where nothing is known of what was live.
    pub(crate) fn since_baseline<'a>(&'a self, earlier: &'a Baseline) -> Result<Span<'a>, Error> {
        if self.baseline.identity != earlier.identity {
            return Err(Error::OtherSession);
        }
        if self.baseline.age < earlier.age {
            return Err(Error::WrongOrder);
        }
        Ok(Span::since(earlier, self))
    }

    pub(crate) fn into_baseline(self) -> Baseline {
        self.baseline
    }

    /// What happened from the session's start to this snapshot.
    pub fn since_start(&self) -> Span<'_> {
        Span::until(self)
    }

    /// From the session's start to this snapshot, with the live figures of the moment when the live heap
    /// was at its largest, in bytes.
    ///
    /// At interval 1, with one thread, it is exact; with more, exact but for the requests that were
    /// under way in them. The largest of many estimates is larger, on average, than the estimate of the
    /// largest: at longer intervals a peak is biased upwards, by about its standard error and less.
    pub fn at_peak(&self) -> Span<'_> {
        Span::until_peak(self)
    }

    /// When the live heap was at its largest, as time since the session's start.
    pub fn peak_at(&self) -> Duration {
        Duration::from_nanos(self.peak_at)
    }

    /// The profile of the session until this snapshot: [`Span::profile`] of [`Snapshot::since_start`].
    pub fn profile(&self) -> Profile {
        self.since_start().profile()
    }

    /// Allocated since the session's start, and live at this moment, over all sites.
    pub fn totals(&self) -> Figures {
        self.since_start().totals()
    }

    /// The sampled objects that were not freed yet, by site.
    pub fn live_samples(&self) -> &[LiveSample] {
        &self.live
    }

    /// The sampled objects of one site that were not freed yet, with what each stands for.
    pub fn live_objects(&self, site: SiteId) -> impl Iterator<Item = LiveObject> + '_ {
        let start = self.live.partition_point(|sample| sample.site < site);
        let of_site = self.live[start..].iter().take_while(move |sample| sample.site == site);
        of_site.map(|sample| {
            let interval = self.tables.interval.doubled(sample.doublings);
            let amount = interval.amount(interval.weight(sample.size));
            LiveObject { birth: sample.birth, size: sample.size as u64, amount }
        })
    }

    /// Estimated objects allocated since the session's start, by size: element `n` is for the sizes that
    /// need `n` bits, so 2ⁿ⁻¹ to 2ⁿ - 1 bytes; the last one for everything from 2⁴⁷ bytes on.
    pub fn sizes(&self) -> &[f64] {
        &self.baseline.sizes
    }

    /// How much of the program's heap it takes, in bytes: some 200 a site, and 24 or so a live sample. The session's own tables, which it
    /// keeps readable, are not in it.
    pub fn memory(&self) -> usize {
        let Baseline { grown, sizes, .. } = &self.baseline;
        let lifetimes = grown.iter().filter(|grown| grown.lifetimes.is_some()).count();
        size_of_val(&**grown)
            + size_of_val(&**sizes)
            + size_of_val(&*self.held)
            + size_of_val(&*self.live)
            + lifetimes * size_of::<Lifetimes>()
    }

    /// Time since the session's start.
    pub fn elapsed(&self) -> Duration {
        self.baseline.elapsed()
    }

    /// The session that it is of.
    pub(crate) fn session(&self) -> u64 {
        self.baseline.identity
    }

    pub(crate) fn grown(&self) -> &[Grown] {
        &self.baseline.grown
    }

    pub(crate) fn held(&self) -> &[Held] {
        &self.held
    }

    /// How many samples found no room in one of the tables.
    pub(crate) fn losses(&self) -> u64 {
        self.untracked().samples + self.site_overflow().samples
    }

    pub(crate) fn doublings(&self) -> u32 {
        self.doublings
    }

    pub(crate) fn interval(&self) -> Interval {
        self.tables.interval
    }

    /// What the live table had no room for.
    pub(crate) fn untracked(&self) -> Lost {
        let (samples, weight) = self.untracked;
        Lost::new(self.interval(), samples, weight)
    }

    /// What the site table had no room for.
    pub(crate) fn site_overflow(&self) -> Lost {
        let full = self.grown().first().map(|full| (full.samples, full.alloc)).unwrap_or_default();
        Lost::new(self.interval(), full.0, full.1)
    }
}
