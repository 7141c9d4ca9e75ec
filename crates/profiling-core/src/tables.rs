//! What belongs to one session: its settings, its sites, its live table, in one piece of memory.

// unsafe: builds the tables in a reservation, and shares them by a count of its own.
#![allow(unsafe_code)]

use std::{
    ops::Deref,
    ptr::NonNull,
    time::{Duration, SystemTime},
};

use allometer_profile::Symbolization;

use crate::{
    Config, Error,
    arena::Layout,
    capture::Unwinder,
    giants::{Giants, GiantsPlace},
    histogram::Histogram,
    live::{Filter, Live, LivePlace},
    os::{self, Reservation},
    peak::Peak,
    probe::Probe,
    sampler::{Interval, next_random},
    scope::Scopes,
    sites::{Sites, SitesPlace},
    sync::{AtomicU8, AtomicU64, AtomicUsize, Ordering, Presence, sized},
    tag::{Admitted, AdmittedPlace, Names},
    untracked::Untracked,
};

/// Classes of sizes: up to 2⁴⁷ bytes, and beyond.
pub(crate) const SIZE_CLASSES: usize = sized(49, 2);
/// Classes of lifetimes: below a microsecond, up to 2³⁸ of them (three days), and beyond.
pub(crate) const LIFETIME_CLASSES: usize = 40;

/// The tables of one session.
#[derive(Debug)]
pub(crate) struct Tables {
    /// How many [`Shared`] there are.
    references: AtomicUsize,
    pub(crate) presence: Presence,
    arena: Reservation,
    pub(crate) number: u64,
    pub(crate) interval: Interval,
    pub(crate) live_heap: bool,
    pub(crate) max_depth: usize,
    pub(crate) unwinder: Unwinder,
    /// Of the profiles of the session.
    pub(crate) symbolization: Symbolization,
    /// Stacks that were left to the platform's unwinder.
    pub(crate) portable_stacks: AtomicU64,
    /// Libraries that had been unloaded, and frames of unknown modules that had been counted, before the start.
    unloads: u64,
    lost_frames: u64,
    seed: u64,
    /// Threads that have joined.
    pub(crate) threads: AtomicU64,
    /// On the monotonic clock, and as a date.
    started: u64,
    pub(crate) started_at: SystemTime,
    pub(crate) sites: Sites<'static>,
    pub(crate) live: Live<'static>,
    pub(crate) untracked: Untracked,
    pub(crate) peak: Peak,
    pub(crate) scopes: Scopes,
    pub(crate) tags: Admitted<'static>,
    /// What the tags are called.
    pub(crate) names: &'static Names,
    /// Allocated objects by the number of bits of their size.
    pub(crate) sizes: Histogram<SIZE_CLASSES>,
    /// How long freed objects lived, in microseconds, by site; empty if the session does not keep it.
    pub(crate) lifetimes: &'static [Histogram<LIFETIME_CLASSES>],
    pub(crate) giants: Giants<'static>,
    /// What the hook answered when the session started.
    pub(crate) probe: Probe,
}

impl Tables {
    /// A seed for the next thread that joins.
    pub(crate) fn next_thread_seed(&self) -> u64 {
        let order = self.threads.fetch_add(1, Ordering::Relaxed);
        next_random(self.seed ^ next_random(order).1).1
    }

    /// What tells this session from every other one, of other processes too.
    pub(crate) fn identity(&self) -> u64 {
        next_random(self.started ^ next_random(self.seed).1 ^ u64::from(std::process::id())).1
    }

    /// Nanoseconds since the session's start.
    pub(crate) fn age(&self) -> u64 {
        os::monotonic_nanos().saturating_sub(self.started)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.age())
    }

    /// Whether code is that of what is loaded at its address: where frames do not tell more than that, and all libraries
    /// are still there that were at any time since the start.
    pub(crate) fn names_by_address(&self) -> bool {
        !self.unwinder.tells_modules() && self.unwinder.unloads() == self.unloads
    }

    /// Frames, of all samples, in libraries that found no room in the list of libraries.
    pub(crate) fn lost_frames(&self) -> u64 {
        self.unwinder.lost_frames() - self.lost_frames
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        self.arena.bytes()
    }
}

/// Tables that live as long as anybody holds them: the session's seat, a snapshot.
///
/// An `Arc` would have to be allocated, and freed, by the allocator that is being watched.
#[derive(Debug)]
pub(crate) struct Shared(NonNull<Tables>);

// SAFETY: the tables are shared by reference (`Tables` is `Sync`) and dropped by whoever is last.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// Empty tables for session `number`.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] where the operating system does not give the address space; [`Error::GiantFile`].
    pub(crate) fn new(
        config: &Config,
        number: u64,
        filter: Filter,
        unwinder: Unwinder,
        names: &'static Names,
    ) -> Result<Self, Error> {
        let mut layout = Layout::default();
        // The reservation starts with the `Tables` themselves.
        let _head = layout.place::<AtomicU8>(size_of::<Tables>());
        let sites = SitesPlace::new(&mut layout, config.max_sites, config.max_depth);
        let followed = if config.live_heap { config.max_live_samples } else { 1 };
        let live = LivePlace::new(&mut layout, followed);
        let with_lifetimes = if config.lifetimes { config.max_sites + 1 } else { 0 };
        let lifetimes = layout.place(with_lifetimes);
        let tags = AdmittedPlace::new(&mut layout, config.max_tags);
        let giants = GiantsPlace::new(&mut layout, config);
        let arena =
            Reservation::new(layout.bytes()).ok_or(Error::Memory { what: "the tables of a session" })?;
        let base = arena.base().cast::<Tables>();
        // SAFETY: the arena lives in the tables themselves, so it lives as long as they do; each place is used once.
        let giants = unsafe { giants.table(&arena, config) }?;
        let tables = Tables {
            references: AtomicUsize::new(1),
            presence: Presence::default(),
            number,
            interval: Interval::new(config.sample_interval),
            live_heap: config.live_heap,
            max_depth: config.max_depth,
            unwinder,
            symbolization: config.symbolization,
            portable_stacks: AtomicU64::new(0),
            // Not asked where nobody needs it: in a forked child the loader's lock may be held for ever.
            unloads: if unwinder.tells_modules() { 0 } else { unwinder.unloads() },
            lost_frames: unwinder.lost_frames(),
            seed: config.seed.unwrap_or_else(os::random_seed),
            threads: AtomicU64::new(0),
            started: os::monotonic_nanos(),
            started_at: SystemTime::now(),
            // SAFETY: as above.
            sites: unsafe { sites.table(&arena) },
            // SAFETY: as above.
            live: unsafe { live.table(&arena, filter) },
            untracked: Untracked::default(),
            peak: Peak::default(),
            scopes: Scopes::default(),
            // SAFETY: as above.
            tags: unsafe { tags.table(&arena) },
            names,
            sizes: Histogram::default(),
            // SAFETY: as above.
            lifetimes: unsafe { arena.slice(&lifetimes) },
            giants,
            probe: Probe::default(),
            arena,
        };
        // SAFETY: the start of a fresh reservation, page-aligned, with room for the tables.
        unsafe { base.write(tables) };
        Ok(Self(base))
    }

    /// Hands the reference over to a word that can be changed atomically.
    pub(crate) fn into_raw(self) -> *mut Tables {
        let tables = self.0.as_ptr();
        std::mem::forget(self);
        tables
    }

    /// Takes a reference back.
    ///
    /// # Safety
    ///
    /// `tables` comes from [`Shared::into_raw`] and is taken back once.
    pub(crate) unsafe fn from_raw(tables: *mut Tables) -> Option<Self> {
        NonNull::new(tables).map(Self)
    }

    /// One more reference to tables that somebody else keeps alive.
    pub(crate) fn of(tables: &Tables) -> Self {
        tables.references.fetch_add(1, Ordering::Relaxed);
        Self(NonNull::from(tables))
    }
}

impl Deref for Shared {
    type Target = Tables;

    fn deref(&self) -> &Tables {
        // SAFETY: a reference is counted, so the tables are there.
        let tables = unsafe { self.0.as_ref() };
        tables.presence.used();
        tables
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.references.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: the last reference is gone.
            unsafe {
                self.0.as_ref().presence.ends();
                give_back(self.0);
            }
        }
    }
}

/// Unmaps the tables.
///
/// # Safety
///
/// Nobody uses them any more.
#[cold]
#[inline(never)]
unsafe fn give_back(tables: NonNull<Tables>) {
    // SAFETY: the reservation is moved out of itself before it is unmapped, and alone: hooks run on small stacks,
    // and nothing else in the tables needs a drop.
    drop(unsafe { (&raw const (*tables.as_ptr()).arena).read() });
}
