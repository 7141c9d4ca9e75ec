//! How a session is doing.

use std::{sync::atomic::Ordering::Relaxed, time::Duration};

use crate::{
    SiteId, Unwinding,
    sampler::{Interval, Weight},
    tables::Tables,
};

/// How a session is doing: what it has recorded and what it could not keep.
///
/// Figures of objects and bytes are estimates, as everything that comes from samples is.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Mean number of requested bytes between two samples of a thread now: that of the configuration,
    /// doubled as often as the live table was thinned.
    pub sample_interval: u64,
    /// Time since the session's start.
    pub elapsed: Duration,
    /// Requests that the sampler picked and that were recorded.
    pub samples: u64,
    /// Distinct stacks in the site table.
    pub sites: usize,
    /// Sampled objects that are followed now.
    pub live_samples: usize,
    /// Distinct tags that the session tells apart.
    pub tags: usize,
    /// Tags that came when there were as many as the session tells apart, and are counted together, as
    /// [`Tag::OTHERS`](crate::Tag::OTHERS).
    pub other_tags: u64,
    /// Threads that have requested memory since the session's start.
    pub threads: u64,
    /// How stacks are walked: never [`Unwinding::Automatic`].
    pub unwinding: Unwinding,
    /// Samples whose stack was walked by the platform's unwinder, which is slow: because that is how stacks are
    /// walked, or because code with unusual unwind rules was on it.
    pub portable_stacks: u64,
    /// Frames, over all samples, in libraries that came while the program ran and found no room in the list of such
    /// libraries, which has 4096 entries a process. Their code has no names.
    pub lost_frames: u64,
    /// Requests above [`Config::giant_limit`](crate::Config::giant_limit).
    pub giants: u64,
    /// Of these, how many were refused.
    pub refused_giants: u64,
    /// Address space reserved by the session, in bytes; memory is taken as tables fill.
    pub reserved_bytes: usize,
    /// Samples counted at `[site table full]`, because a new stack found no room.
    pub site_overflow: Lost,
    /// Samples that are counted as allocated but were not followed, because the live table was full and
    /// could not be thinned: at interval 1, or for an address of more than 48 bits.
    pub untracked: Lost,
}

/// What a bound cost: samples, and what they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Lost {
    /// Samples.
    pub samples: u64,
    /// Objects that they stand for.
    pub objects: f64,
    /// Bytes that they stand for.
    pub bytes: f64,
}

impl Stats {
    pub(crate) fn of(tables: &Tables) -> Self {
        let interval = tables.interval;
        let samples_at = |site| tables.sites.counters(site).samples.load(Relaxed);
        let full = tables.sites.counters(SiteId::FULL);
        let (untracked, weight) = tables.untracked.load();
        let [giants, refused_giants] = tables.giants.counts();
        Self {
            sample_interval: interval.doubled(tables.live.doublings()).bytes(),
            elapsed: tables.elapsed(),
            samples: tables.sites.ids().map(samples_at).sum(),
            sites: tables.sites.len() - 1,
            live_samples: tables.live.len(),
            tags: tables.tags.len(),
            other_tags: tables.tags.refused().into(),
            threads: tables.threads.load(Relaxed),
            unwinding: tables.unwinder.unwinding(),
            portable_stacks: tables.portable_stacks.load(Relaxed),
            lost_frames: tables.lost_frames(),
            giants,
            refused_giants,
            reserved_bytes: tables.reserved_bytes(),
            site_overflow: Lost::new(interval, samples_at(SiteId::FULL), full.alloc.load()),
            untracked: Lost::new(interval, untracked, weight),
        }
    }
}

impl Lost {
    pub(crate) fn new(interval: Interval, samples: u64, weight: Weight) -> Self {
        let amount = interval.amount(weight);
        Self { samples, objects: amount.objects.value, bytes: amount.bytes.value }
    }
}
