//! What one sampled request, or its end, changes in the tables.

use std::sync::atomic::Ordering::Relaxed;

use crate::{
    capture::Stack,
    live::{Entry, Slot},
    sampler::Weight,
    sites::SiteId,
    tables::Tables,
    thread::Thread,
};

/// A request that was picked and granted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Granted {
    pub(crate) address: usize,
    /// Requested bytes.
    pub(crate) size: usize,
    /// How often the interval had doubled when the mark was drawn that picked it.
    pub(crate) doublings: u32,
    /// The address of a local variable of the hook, as for [`Stack::capture`].
    pub(crate) anchor: usize,
}

/// What a request took the place of.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Before {
    /// Nothing: a new object.
    Nothing,
    /// An object that was not followed.
    Unfollowed,
    /// A followed object, whose entry was taken.
    Followed(Slot<'static>, Entry),
}

/// A change of what is live at one site.
type Change = Option<(SiteId, Weight)>;

impl Tables {
    /// Counts the request at its site, and follows its object.
    pub(crate) fn record(&self, thread: &Thread, granted: Granted, before: Before) {
        let _inside = thread.enter();
        let mut stack = Stack::new();
        stack.capture(granted.anchor, self.max_depth, self.unwinder, thread.stack());
        if stack.is_portable() {
            self.portable_stacks.fetch_add(1, Relaxed);
        }
        let site = self.sites.intern(stack.words(), self.scopes.of(thread.scope()));
        let weight = self.interval.doubled(granted.doublings).weight(granted.size);
        self.sites.counters(site).allocated(weight, !matches!(before, Before::Nothing));
        self.sizes.add(granted.size as u64, weight);
        if self.live_heap {
            let more = self.follow(thread, granted, before, site);
            self.settle(more, self.end(before, more.is_some()));
        }
    }

    /// A `realloc` that was not picked: the object is followed no more.
    pub(crate) fn unfollow(&self, slot: Slot<'static>, entry: Entry) {
        self.settle(None, self.end(Before::Followed(slot, entry), false));
    }

    /// The object at `address` is about to be freed: takes it out, if it is followed.
    pub(crate) fn free(&self, address: usize) {
        if let Some(entry) = self.live.remove(address) {
            let less = self.forget(address, entry);
            self.settle(None, Some((entry.site, less)));
            if let Some(lifetimes) = self.lifetimes.get(entry.site.0 as usize) {
                lifetimes.add(self.age().saturating_sub(entry.birth) / 1000, less);
            }
        }
    }

    /// Puts the object into the live table, thinned as that is; answers where it counts, and as what.
    fn follow(&self, thread: &Thread, granted: Granted, before: Before, site: SiteId) -> Change {
        let Granted { address, size, .. } = granted;
        let birth = match before {
            Before::Followed(_, old) => old.birth,
            Before::Nothing | Before::Unfollowed => self.age(),
        };
        let mut doublings = granted.doublings;
        loop {
            let thinned_to = self.live.doublings();
            if doublings < thinned_to {
                let (from, to) = (self.interval.doubled(doublings), self.interval.doubled(thinned_to));
                if !from.is_kept_at(to, size, thread.next_random()) {
                    return None;
                }
                doublings = thinned_to;
            }
            let entry = Entry { site, size, birth, doublings };
            let weight = self.weight(entry);
            // Counted before it can be found, so that no free is counted before its allocation.
            self.change_live(site, |counters| counters.add(weight));
            let placed = match before {
                Before::Followed(..) => self.live.insert_in_its_room(address, entry),
                Before::Nothing | Before::Unfollowed => self.live.insert(address, entry),
            };
            if placed {
                self.filter.add(address);
                return Some((site, weight));
            }
            self.change_live(site, |counters| counters.sub(weight));
            if !self.make_room(thread) {
                self.untracked.add(weight);
                return None;
            }
        }
    }

    /// Gives up what a request took the place of; its room is the new object's, if that `took_room`.
    fn end(&self, before: Before, took_room: bool) -> Change {
        let Before::Followed(slot, entry) = before else { return None };
        let less = self.forget(slot.address(), entry);
        self.live.release(slot, took_room);
        Some((entry.site, less))
    }

    /// Gives back what the object at `address`, whose entry was taken out, had added.
    fn forget(&self, address: usize, entry: Entry) -> Weight {
        let weight = self.weight(entry);
        self.change_live(entry.site, |counters| counters.sub(weight));
        self.filter.remove(address);
        weight
    }

    /// Thins the table to make room in it; answers false when it cannot be thinned.
    fn make_room(&self, thread: &Thread) -> bool {
        let interval = self.interval;
        let keeps = |entry: Entry, to| {
            let at = interval.doubled(entry.doublings);
            at.is_kept_at(interval.doubled(to), entry.size, thread.next_random())
        };
        let thinned = |entry: Entry, address, kept: Option<u32>| {
            let more = kept.map(|doublings| (entry.site, self.weight(Entry { doublings, ..entry })));
            let less = self.weight(entry);
            self.change_live(entry.site, |counters| {
                more.iter().for_each(|(_, more)| counters.add(*more));
                counters.sub(less);
            });
            if more.is_none() {
                self.filter.remove(address);
            }
            self.settle(more, Some((entry.site, less)));
        };
        !interval.is_exact() && self.live.make_room(keeps, thinned)
    }

    /// What a live sample stands for.
    pub(crate) fn weight(&self, entry: Entry) -> Weight {
        self.interval.doubled(entry.doublings).weight(entry.size)
    }

    fn change_live(&self, site: SiteId, change: impl FnOnce(&crate::sites::Counters)) {
        let counters = self.sites.counters(site);
        self.peak.save(counters);
        change(&counters.live);
    }

    /// After one event has changed what is live: the sums over all sites, and over scopes.
    fn settle(&self, more: Change, less: Change) {
        let weight = |change: Change| change.map_or(Weight::default(), |(_, weight)| weight);
        let scope = |change: Change| change.map_or(0, |(site, _)| self.sites.scope(site));
        let (came, went) = (scope(more), scope(less));
        self.peak.moved(weight(more), weight(less), || self.age());
        if came == went {
            self.scopes.moved(came, weight(more), weight(less));
        } else {
            self.scopes.moved(came, weight(more), Weight::default());
            self.scopes.moved(went, Weight::default(), weight(less));
        }
    }
}
