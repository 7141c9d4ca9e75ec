//! What one sampled request, or its end, changes in the tables.

use crate::{
    capture::Stack,
    live::{Entry, Slot},
    tables::Tables,
    thread::Thread,
};

/// A request that was picked and granted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Granted {
    pub(crate) address: usize,
    /// Requested bytes.
    pub(crate) size: usize,
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
    /// A followed object, whose slot was taken.
    Followed(Slot<'static>),
}

impl Tables {
    /// Counts the request at its site, and follows its object.
    pub(crate) fn record(&self, thread: &Thread, granted: Granted, before: Before) {
        let _inside = thread.enter();
        let stack = Stack::capture(granted.anchor, self.max_depth);
        let site = self.sites.intern(stack.words());
        let counters = self.sites.counters(site);
        let weight = self.interval.weight(granted.size);
        counters.allocated(weight, !matches!(before, Before::Nothing));
        if !self.live_heap {
            return;
        }
        // Counted before it can be found, so that no free is counted before its allocation.
        counters.live.add(weight);
        let entry = |birth| Entry { site, size: granted.size, birth };
        let followed = match before {
            Before::Followed(old) => self.live.replace(old, granted.address, entry(old.entry().birth)),
            Before::Nothing | Before::Unfollowed => self.live.insert(granted.address, entry(self.age())),
        };
        if followed {
            self.filter.add(granted.address);
        } else {
            counters.live.sub(weight);
            self.untracked.add(weight);
        }
    }

    /// Gives back what the object at `address`, whose entry was taken out, had added.
    pub(crate) fn forget(&self, address: usize, entry: Entry) {
        self.sites.counters(entry.site).live.sub(self.interval.weight(entry.size));
        self.filter.remove(address);
    }
}
