//! What one sampled request, or its end, changes in the tables.

use allometer_profile::giant_log_layout::FRAMES;

use crate::{
    capture::{Frame, Registers, Stack, TRUNCATED},
    giants::{Giant, nanos_since_1970},
    live::{Entry, Slot},
    os,
    sampler::Weight,
    sites::{Context, SiteId},
    sync::Ordering::Relaxed,
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
    /// The hook's own frame, as for [`Stack::capture`].
    pub(crate) frame: Registers,
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

/// A change of what is live at one site: bytes, as [`Weight::bytes`].
type Change = Option<(SiteId, u128)>;

impl Tables {
    /// Counts the request at its site, and follows its object. Answers whether the live table is ahead of what
    /// threads read: thinned to a longer interval than the request was drawn at, or behind a larger filter.
    pub(crate) fn record(&self, thread: &Thread, granted: Granted, before: Before) -> bool {
        let _inside = thread.enter();
        let mut stack = Stack::new();
        stack.capture(granted.frame, self.max_depth, self.unwinder, thread.stack());
        if stack.is_portable() {
            self.portable_stacks.fetch_add(1, Relaxed);
        }
        let context = Context::new(self.scopes.of(thread.scope()), self.tags.of(thread.tags().current()));
        let site = self.sites.intern(stack.words(), context);
        let weight = self.interval.doubled(granted.doublings).weight(granted.size);
        self.sites.counters(site).allocated(weight, !matches!(before, Before::Nothing));
        self.sizes.add(granted.size as u64, weight);
        if self.live_heap {
            self.follow(thread, granted, before, site, weight);
        }
        self.live_heap && self.live.is_ahead(granted.doublings)
    }

    /// Whether a giant request is refused; it is logged with its stack.
    pub(crate) fn refuses(&self, thread: &Thread, size: usize, frame: Registers) -> bool {
        let _inside = thread.enter();
        let mut stack = Stack::new();
        // With room for the mark of a stack that was cut.
        stack.capture(frame, self.max_depth.min(FRAMES - 1), self.unwinder, thread.stack());
        let address = |&word: &usize| match word {
            TRUNCATED => 0,
            word => Frame::from_word(word).address as u64,
        };
        let giant = Giant { time: nanos_since_1970(), size: size as u64, thread: os::thread_id() };
        let words = stack.words();
        let without_shim = self.probe.without_shim(words.iter().copied()).count();
        let stack = words[words.len() - without_shim..].iter().map(address);
        self.giants.refuses(giant, stack)
    }

    /// A `realloc` that was not picked: the object is followed no more.
    pub(crate) fn unfollow(&self, slot: Slot<'static>, entry: Entry) {
        let less = self.end(slot, entry, false);
        self.settle(None, Some((entry.site, less.bytes)));
    }

    /// The object at `address` is about to be freed: takes it out, if it is followed.
    pub(crate) fn free(&self, address: usize) {
        if let Some(entry) = self.live.remove(address) {
            let less = self.forget(entry);
            self.settle(None, Some((entry.site, less.bytes)));
            if let Some(lifetimes) = self.lifetimes.get(entry.site.0 as usize) {
                lifetimes.add(self.age().saturating_sub(entry.birth) / 1000, less);
            }
        }
    }

    /// Follows the object that a request at `site` got. `weight` is what the request stands for, as it was
    /// drawn.
    fn follow(&self, thread: &Thread, granted: Granted, before: Before, site: SiteId, weight: Weight) {
        let more = self.keep(thread, granted, before, site, weight).map(|bytes| (site, bytes));
        match before {
            Before::Followed(slot, entry) => {
                let less = self.end(slot, entry, more.is_some());
                self.settle(more, Some((entry.site, less.bytes)));
            }
            Before::Nothing | Before::Unfollowed if more.is_some() => self.settle(more, None),
            Before::Nothing | Before::Unfollowed => {}
        }
    }

    /// Puts the object into the live table; answers how many bytes it counts as, as [`Weight::bytes`].
    #[inline(always)]
    fn keep(
        &self,
        thread: &Thread,
        granted: Granted,
        before: Before,
        site: SiteId,
        weight: Weight,
    ) -> Option<u128> {
        let birth = match before {
            Before::Followed(_, old) => old.birth,
            Before::Nothing | Before::Unfollowed => self.age(),
        };
        let entry = Entry { site, size: granted.size, birth, doublings: granted.doublings };
        let took_room = matches!(before, Before::Followed(..));
        let is_current = entry.doublings >= self.live.doublings();
        if is_current && self.put(granted.address, entry, weight, took_room) {
            Some(weight.bytes)
        } else {
            self.keep_thinned(thread, granted.address, entry, took_room)
        }
    }

    /// As [`Tables::keep`] where the live table is thinned or full.
    #[cold]
    #[inline(never)]
    fn keep_thinned(
        &self,
        thread: &Thread,
        address: usize,
        mut entry: Entry,
        took_room: bool,
    ) -> Option<u128> {
        loop {
            let thinned_to = self.live.doublings();
            if entry.doublings < thinned_to {
                let (from, to) = (self.interval.doubled(entry.doublings), self.interval.doubled(thinned_to));
                if !from.is_kept_at(to, entry.size, thread.next_random()) {
                    return None;
                }
                entry.doublings = thinned_to;
            }
            let weight = self.weight(entry);
            if self.put(address, entry, weight, took_room) {
                return Some(weight.bytes);
            }
            if !self.make_room(thread) {
                self.untracked.add(weight);
                return None;
            }
        }
    }

    /// Puts an entry into the live table, and `weight` to its site; answers whether there was room. An object
    /// that `took_room` of another needs none.
    #[inline(always)]
    fn put(&self, address: usize, entry: Entry, weight: Weight, took_room: bool) -> bool {
        // Counted before it can be found, so that no free is counted before its allocation.
        self.change_live(entry.site, |counters| counters.add(weight));
        let has_room = took_room || self.live.take_room();
        if has_room && self.live.insert(address, entry) {
            return true;
        }
        if has_room && !took_room {
            self.live.give_room_back();
        }
        self.change_live(entry.site, |counters| counters.sub(weight));
        false
    }

    /// Gives up the slot of an entry that was taken, with its room, unless another object `took_room`.
    fn end(&self, slot: Slot<'static>, entry: Entry, took_room: bool) -> Weight {
        let less = self.forget(entry);
        self.live.release(slot, took_room);
        less
    }

    /// Gives back what an object, whose entry was taken out, had added.
    #[inline(always)]
    fn forget(&self, entry: Entry) -> Weight {
        let weight = self.weight(entry);
        self.change_live(entry.site, |counters| counters.sub(weight));
        weight
    }

    /// Thins the table to make room in it; answers false when it cannot be thinned.
    fn make_room(&self, thread: &Thread) -> bool {
        let interval = self.interval;
        let keeps = |entry: Entry, to| {
            let at = interval.doubled(entry.doublings);
            at.is_kept_at(interval.doubled(to), entry.size, thread.next_random())
        };
        let thinned = |entry: Entry, kept: Option<u32>| {
            let more = kept.map(|doublings| self.weight(Entry { doublings, ..entry }));
            let less = self.weight(entry);
            self.change_live(entry.site, |counters| {
                more.iter().for_each(|more| counters.add(*more));
                counters.sub(less);
            });
            self.settle(more.map(|more| (entry.site, more.bytes)), Some((entry.site, less.bytes)));
        };
        !interval.is_exact() && self.live.make_room(keeps, thinned)
    }

    /// What a live sample stands for.
    pub(crate) fn weight(&self, entry: Entry) -> Weight {
        self.interval.doubled(entry.doublings).weight(entry.size)
    }

    #[inline(always)]
    fn change_live(&self, site: SiteId, change: impl FnOnce(&crate::sites::Counters)) {
        let counters = self.sites.counters(site);
        self.peak.save(counters);
        change(&counters.live);
    }

    /// After one event has changed what is live: the sums over all sites, and over scopes.
    #[inline(always)]
    fn settle(&self, more: Change, less: Change) {
        let bytes = |change: Change| change.map_or(0, |(_, bytes)| bytes);
        let scope = |change: Change| change.map_or(0, |(site, _)| self.sites.context(site).scope());
        let (came, went) = (scope(more), scope(less));
        self.peak.moved(bytes(more), bytes(less), || self.age());
        if came == went {
            self.scopes.moved(came, bytes(more), bytes(less));
        } else {
            self.scopes.moved(came, bytes(more), 0);
            self.scopes.moved(went, 0, bytes(less));
        }
    }
}

#[cfg(all(test, loom))]
mod models;
