//! The table of live samples.

use super::{
    bucket::{self, Bucket, Entry, SLOTS},
    filter::Filter,
    growth::Growth,
    key::{self, MAX_DOUBLINGS},
    levels::Levels,
    pass::Pass,
    slot::Slot,
    spread::Spread,
};
use crate::{
    arena::{Layout, Place},
    os::Reservation,
    sync::{
        AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
        fence, sized,
    },
};

/// Where the table's buckets are in the arena.
pub(crate) struct LivePlace {
    buckets: Place<Bucket>,
    levels: Levels,
    bound: usize,
}

impl LivePlace {
    pub(crate) fn new(layout: &mut Layout, max_live_samples: usize) -> Self {
        let levels = Levels::new(max_live_samples);
        Self { buckets: layout.place(levels.buckets(levels.count())), levels, bound: max_live_samples }
    }

    /// The table in `arena`, with `filter` in front of it.
    ///
    /// # Safety
    ///
    /// The arena lives for `'a`; the place was made with its layout and is used once.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn table<'a>(&self, arena: &Reservation, filter: Filter) -> Live<'a> {
        Live {
            // SAFETY: forwarded from the caller.
            buckets: unsafe { arena.slice(&self.buckets) },
            levels: self.levels,
            bound: self.bound,
            filter,
            open: AtomicUsize::new(1),
            held: AtomicUsize::new(0),
            pass: AtomicU64::new(Pass::NONE.0),
        }
    }
}

/// The sampled objects that are not freed yet.
#[derive(Debug)]
pub(crate) struct Live<'a> {
    buckets: &'a [Bucket],
    levels: Levels,
    /// Most entries.
    bound: usize,
    /// Counts every entry, in the cells that the free path looks at.
    filter: Filter,
    /// Levels in use.
    open: AtomicUsize,
    /// Entries, those that are just being made or given up included.
    held: AtomicUsize,
    /// A [`Pass`]: how far the table is thinned.
    pass: AtomicU64,
}

/// Buckets that are thinned at a time, by a thread that found the table full, or carried over into a larger
/// filter, by one that inserts.
const CHUNK: usize = sized(8, 1);

impl<'a> Live<'a> {
    /// Takes room for one more object, which then has to be inserted, or given back. Answers whether there was
    /// some.
    pub(crate) fn take_room(&self) -> bool {
        let has_room = self.held.fetch_add(1, Relaxed) < self.bound;
        if !has_room {
            self.give_room_back();
        }
        has_room
    }

    pub(crate) fn give_room_back(&self) {
        self.held.fetch_sub(1, Relaxed);
    }

    /// Adds the object at `address`, which is not in the table, and for which there is room. Answers whether a
    /// slot was found.
    ///
    /// From the largest level down, where most slots are free; then the next level is opened.
    #[inline(always)]
    pub(crate) fn insert(&self, address: usize, entry: Entry) -> bool {
        if !(key::fits(address) & bucket::fits(entry.size)) {
            return false;
        }
        let growth = self.filter.growth();
        loop {
            let open = self.open.load(Acquire);
            for level in (0..open).rev() {
                if let Some((bucket, index)) = self.insert_at(level, address, entry, growth) {
                    self.follow_growth(growth, bucket, index);
                    return true;
                }
            }
            if open == self.levels.count() {
                return false;
            }
            let _ = self.open.compare_exchange(open, open + 1, AcqRel, Relaxed);
        }
    }

    /// Into the emptier of two buckets of a level.
    #[inline(always)]
    fn insert_at(
        &self,
        level: usize,
        address: usize,
        entry: Entry,
        growth: Growth,
    ) -> Option<(&Bucket, usize)> {
        let choices = self.choices(level, address);
        loop {
            let [one, other] = choices.map(|bucket| (bucket, bucket.first_free()));
            let (bucket, index) = if other.1 < one.1 { other } else { one };
            if index == SLOTS {
                return None;
            }
            // Fails where another thread was faster.
            if bucket.claim(index) {
                bucket.put(index, address, entry, &self.filter, growth.widths());
                return Some((bucket, index));
            }
        }
    }

    /// After an entry was put as of `seen`, and before its object is handed out.
    #[inline(always)]
    fn follow_growth(&self, seen: Growth, bucket: &Bucket, index: usize) {
        // Either this thread sees a growth that has started, or who carries over sees the entry.
        fence(SeqCst);
        let growth = self.filter.growth();
        if growth != seen || self.filter.has_to_grow(growth, self.len()) {
            self.grow_filter(growth, bucket, index);
        }
    }

    /// Counts an entry for the width that the filter grows to, if that was not known yet, and does one chunk of
    /// the growth, or starts it.
    #[cold]
    #[inline(never)]
    fn grow_filter(&self, growth: Growth, bucket: &Bucket, index: usize) {
        bucket.carry_over_one(index, &self.filter, growth.widths().to);
        if !growth.grows() {
            self.filter.start_to_grow(growth);
        } else if !growth.is_done() {
            self.carry_over(growth);
        }
    }

    /// Counts the entries of a few buckets for the width that the filter grows to.
    fn carry_over(&self, growth: Growth) {
        // The other half of that in `follow_growth`.
        fence(SeqCst);
        let open = self.levels.buckets(self.open.load(Acquire));
        let next = growth.next();
        let end = (next + CHUNK).min(open);
        let width = growth.widths().to;
        self.buckets[next..end].iter().for_each(|bucket| bucket.carry_over(&self.filter, width));
        let after = if end == open { growth.done() } else { growth.carried(end) };
        self.filter.carried(growth, after);
    }

    /// The filter in front of the table.
    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The slot of the object at `address`, for the thread that frees or resizes it.
    #[inline(always)]
    pub(crate) fn find(&self, address: usize) -> Option<Slot<'a>> {
        let open = self.open.load(Acquire);
        for level in (0..open).rev() {
            let [one, other] = self.choices(level, address);
            if let Some(slot) = one.find(address).or_else(|| other.find(address)) {
                return Some(slot);
            }
        }
        None
    }

    /// Takes the object at `address` out, for the thread that frees it.
    pub(crate) fn remove(&self, address: usize) -> Option<Entry> {
        let entry = self.find(address)?.remove(&self.filter)?;
        self.held.fetch_sub(1, Relaxed);
        Some(entry)
    }

    /// Gives up a slot whose entry was taken, and its room, unless that was passed on.
    pub(crate) fn release(&self, slot: Slot<'_>, passed_on: bool) {
        slot.release(&self.filter);
        if !passed_on {
            self.held.fetch_sub(1, Relaxed);
        }
    }

    /// How often the interval of live samples has doubled.
    pub(crate) fn doublings(&self) -> u32 {
        Pass(self.pass.load(Acquire)).doublings()
    }

    /// Whether what threads read has to follow: the table is thinned to a longer interval than after so many
    /// doublings, or its filter has grown.
    pub(crate) fn is_ahead(&self, doublings: u32) -> bool {
        self.filter.growth().is_done() || self.doublings() > doublings
    }

    /// Makes room in a full table: thins a few buckets, or, if all are thinned to the current interval,
    /// doubles that. Answers false when there is no interval left to double to.
    ///
    /// `keeps` is asked whether an entry stays when it is thinned to so many doublings; `thinned` is
    /// told the entry as it was, and to how many doublings it was kept, if it was.
    pub(crate) fn make_room(
        &self,
        mut keeps: impl FnMut(Entry, u32) -> bool,
        mut thinned: impl FnMut(Entry, Option<u32>),
    ) -> bool {
        let pass = Pass(self.pass.load(Acquire));
        let open = self.levels.buckets(self.open.load(Acquire));
        if pass.next() >= open {
            let more = pass.doublings() < MAX_DOUBLINGS;
            if more {
                let _ = self.pass.compare_exchange(pass.0, pass.doubled().0, AcqRel, Relaxed);
            }
            return more;
        }
        if self.pass.compare_exchange(pass.0, pass.advanced(CHUNK).0, AcqRel, Relaxed).is_ok() {
            let to = pass.doublings();
            let mut settle = |entry, kept: bool| {
                if !kept {
                    self.held.fetch_sub(1, Relaxed);
                }
                thinned(entry, kept.then_some(to));
            };
            for bucket in self.buckets[pass.next()..open].iter().take(CHUNK) {
                bucket.thin(to, &self.filter, |entry| keeps(entry, to), &mut settle);
            }
        }
        true
    }

    #[inline(always)]
    fn choices(&self, level: usize, address: usize) -> [&'a Bucket; 2] {
        self.levels.choices(level, Spread::of(address)).map(|index| &self.buckets[index])
    }

    /// How many objects are followed now.
    pub(crate) fn len(&self) -> usize {
        self.held.load(Relaxed)
    }

    /// The entries that are there now.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let open = self.levels.buckets(self.open.load(Acquire));
        self.buckets[..open].iter().flat_map(Bucket::entries)
    }
}

#[cfg(test)]
mod growth_tests;
#[cfg(test)]
mod map_tests;
#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests;
