//! The live heap at its largest, kept as it happens.
//!
//! Nothing is copied when a new peak is reached: it gets a number, and each site, before its live figures
//! change for the first time after that, saves them under this number. A site that has saved nothing
//! since the last peak still has the figures of the peak. So the cost of a change is bounded, however
//! many sites there are and however often the heap grows beyond its peak.

use crate::{
    sampler::Weight,
    sites::{Counters, SiteCounters},
    sync::{
        AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
        fence,
    },
};

/// How large the live heap is, and was at its largest.
#[derive(Default, Debug)]
pub(crate) struct Peak {
    /// Live bytes, in [`Peak::unit`]s.
    live: AtomicU64,
    highest: AtomicU64,
    /// The number of the last peak.
    number: AtomicU64,
    /// When it was: nanoseconds since the session's start.
    at: AtomicU64,
}

/// What a site saves.
#[derive(Default, Debug)]
pub(crate) struct SitePeak {
    /// The number of the peak that `live` belongs to.
    number: AtomicU64,
    live: Counters,
}

impl Peak {
    /// Live bytes, as [`Weight::bytes`], as the sum that is compared holds them:
    /// sixteenths of a byte.
    fn unit(bytes: u128) -> u64 {
        (bytes >> 16) as u64
    }

    /// Before the live figures of a site change.
    pub(crate) fn save(&self, site: &SiteCounters) {
        let number = self.number.load(Acquire);
        if site.peak.number.load(Acquire) != number {
            site.peak.live.store(site.live.load());
            site.peak.number.store(number, Release);
            // Before the change that follows, for who reads meanwhile.
            fence(Release);
        }
    }

    /// After the figures of all sites that one event touches have changed: `more` bytes came and `less` went.
    pub(crate) fn moved(&self, more: u128, less: u128, now: impl FnOnce() -> u64) {
        let change = Self::unit(more).wrapping_sub(Self::unit(less));
        let live = self.live.fetch_add(change, Relaxed).wrapping_add(change);
        // As a signed number: concurrent events may be counted in another order than they happened.
        if (live as i64) > 0
            && live > self.highest.load(Relaxed)
            && self.highest.fetch_max(live, Relaxed) < live
        {
            self.at.store(now(), Relaxed);
            self.number.fetch_add(1, Release);
        }
    }

    /// The live figures of a site at the peak.
    pub(crate) fn of(&self, site: &SiteCounters) -> Weight {
        let number = self.number.load(Acquire);
        let live = site.live.load();
        // Whoever changes what is live saves it first: if nothing is saved after this, nothing was changed before.
        fence(Acquire);
        if site.peak.number.load(Acquire) < number { live } else { site.peak.live.load() }
    }

    /// When the peak was: nanoseconds since the session's start.
    pub(crate) fn at(&self) -> u64 {
        self.at.load(Relaxed)
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Interval;

    /// A model of a session with two sites: what `record` does to the peak.
    struct Heap {
        peak: Peak,
        sites: [SiteCounters; 2],
    }

    impl Heap {
        fn change(&self, site: usize, more: usize, less: usize) {
            let interval = Interval::new(1);
            let (more, less) = (interval.weight(more), interval.weight(less));
            self.peak.save(&self.sites[site]);
            self.sites[site].live.add(more);
            self.sites[site].live.sub(less);
            self.peak.moved(more.bytes, less.bytes, || 0);
        }

        fn at_peak(&self) -> [u128; 2] {
            [0, 1].map(|site| self.peak.of(&self.sites[site]).bytes >> 20)
        }
    }

    #[test]
    fn the_peak_is_by_site_and_exact() {
        let heap = Heap { peak: Peak::default(), sites: Default::default() };
        heap.change(0, 100, 0);
        heap.change(1, 50, 0);
        assert_eq!(heap.at_peak(), [100, 50]);
        heap.change(0, 0, 100);
        assert_eq!(heap.at_peak(), [100, 50], "what goes does not change the peak");
        heap.change(1, 60, 0);
        assert_eq!(heap.at_peak(), [100, 50], "110 is no new peak");
        heap.change(1, 41, 0);
        assert_eq!(heap.at_peak(), [0, 151], "151 is one");
        heap.change(0, 10, 0);
        heap.change(1, 0, 151);
        heap.change(0, 100, 0);
        assert_eq!(heap.at_peak(), [10, 151]);
        // A resize from 100 to 120 bytes is never 220.
        heap.change(0, 120, 100);
        assert_eq!(heap.at_peak(), [10, 151]);
    }

    #[test]
    fn a_random_walk_keeps_its_highest_point() {
        let heap = Heap { peak: Peak::default(), sites: Default::default() };
        let (mut state, mut live, mut best) = (1, [0usize; 2], [0usize; 2]);
        for _ in 0..10_000 {
            let random;
            (state, random) = crate::sampler::next_random(state);
            let (site, size) = (random as usize & 1, (random >> 8) as usize % 100 + 1);
            let less = if random & 2 == 0 { live[site].min(size) } else { 0 };
            let more = if random & 2 == 0 { 0 } else { size };
            heap.change(site, more, less);
            live[site] = live[site] + more - less;
            if live[0] + live[1] > best[0] + best[1] {
                best = live;
            }
            assert_eq!(heap.at_peak(), best.map(|bytes| bytes as u128));
        }
    }
}
