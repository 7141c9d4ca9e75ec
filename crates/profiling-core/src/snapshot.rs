//! All counters of a session at one moment, cumulative, with the live samples.

use std::{sync::atomic::Ordering, time::Duration};

use allometer_profile::{Figures, Profile};

use crate::{
    Error, Lost, Span,
    sampler::{Interval, Weight},
    sites::{SiteCounters, SiteId},
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
    /// Nanoseconds since the session's start.
    age: u64,
    /// By site, [`SiteId::FULL`] first.
    counted: Vec<Counted>,
    live: Vec<LiveSample>,
    untracked: (u64, Weight),
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
}

/// The counters of one site at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) samples: u64,
    pub(crate) reallocs: u128,
    pub(crate) alloc: Weight,
    pub(crate) live: Weight,
}

impl Counted {
    fn read(counters: &SiteCounters) -> Self {
        // What is live first: then no site shows more live than allocated.
        let live = counters.live.load();
        Self {
            live,
            alloc: counters.alloc.load(),
            reallocs: counters.reallocs.load(),
            samples: counters.samples.load(Ordering::Acquire),
        }
    }

    pub(crate) fn since(self, earlier: Self) -> Self {
        Self {
            samples: self.samples.saturating_sub(earlier.samples),
            reallocs: self.reallocs.saturating_sub(earlier.reallocs),
            alloc: self.alloc.since(earlier.alloc),
            live: self.live,
        }
    }

    pub(crate) fn figures(self, interval: Interval) -> Figures {
        Figures { alloc: interval.amount(self.alloc), live: interval.amount(self.live) }
    }
}

impl Snapshot {
    /// Reads `tables`.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`]: the allocator did not give room for the counters.
    pub(crate) fn take(tables: &Tables) -> Result<Self, Error> {
        thread::with(|thread| thread.inside(|| Self::read(tables)))
    }

    fn read(tables: &Tables) -> Result<Self, Error> {
        let no_room = |_| Error::Memory { what: "a snapshot" };
        let untracked = tables.untracked.load();
        let mut live = Vec::new();
        live.try_reserve_exact(if tables.live_heap { tables.live.len() } else { 0 }).map_err(no_room)?;
        for entry in tables.live.entries() {
            live.try_reserve(1).map_err(no_room)?;
            let birth = Duration::from_nanos(entry.birth);
            live.push(LiveSample { site: entry.site, size: entry.size, birth });
        }
        // Later than the live samples, so that each of them has its site here.
        let mut counted = Vec::new();
        counted.try_reserve_exact(tables.sites.len()).map_err(no_room)?;
        let room = counted.capacity();
        let read = |site| Counted::read(tables.sites.counters(site));
        counted.extend(tables.sites.ids().take(room).map(read));
        Ok(Self { age: tables.age(), counted, live, untracked, tables: Shared::of(tables) })
    }

    /// What happened between `earlier` and this snapshot.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`] if the two are of different sessions, [`Error::WrongOrder`] if `earlier`
    /// is the later one.
    pub fn since<'a>(&'a self, earlier: &'a Self) -> Result<Span<'a>, Error> {
        if self.tables.number != earlier.tables.number {
            return Err(Error::OtherSession);
        }
        if self.age < earlier.age {
            return Err(Error::WrongOrder);
        }
        Ok(Span::new(Some(earlier), self))
    }

    /// What happened from the session's start to this snapshot.
    pub fn since_start(&self) -> Span<'_> {
        Span::new(None, self)
    }

    /// The profile of the session until this snapshot: [`Span::profile`] of [`Snapshot::since_start`].
    pub fn profile(&self) -> Profile {
        self.since_start().profile()
    }

    /// Allocated since the session's start, and live at this moment, over all sites.
    pub fn totals(&self) -> Figures {
        self.since_start().totals()
    }

    /// The sampled objects that were not freed yet, in no particular order.
    pub fn live_samples(&self) -> &[LiveSample] {
        &self.live
    }

    /// Time since the session's start.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.age)
    }

    pub(crate) fn counted(&self) -> &[Counted] {
        &self.counted
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
        let full = self.counted.first().copied().unwrap_or_default();
        Lost::new(self.interval(), full.samples, full.alloc)
    }
}
