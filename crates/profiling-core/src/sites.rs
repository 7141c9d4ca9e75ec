//! Stacks, in their contexts, and their counters: an append-only hash table without locks.
//!
//! A site is written once, before it is published by one compare-and-swap on the head of its chain, and
//! is never moved or removed, so a reader needs no more than an acquiring load. Two threads that add the
//! same stack at once may both write it; the one whose swap fails finds the other's and leaves its own
//! unpublished, with nothing counted.

mod context;
mod counters;

use std::ops::Deref;

pub(crate) use context::Context;
pub(crate) use counters::{Counters, SiteCounters};

use crate::{
    arena::{Layout, Place, Zeroed},
    os::Reservation,
    sync::{
        self, AtomicU32, AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed},
    },
};

/// Room for frames, a site. Deeper stacks share what shallower ones leave.
const FRAMES_PER_SITE: usize = 48;

/// Names a site within its session. [`SiteId::FULL`] is the one that takes what finds no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub(crate) u32);

impl SiteId {
    /// The site that counts every sample whose stack found no room in the table.
    pub const FULL: Self = Self(0);
}

/// One stack, in one context: where its frames are, and its counters.
#[repr(C, align(64))]
#[derive(Default, Debug)]
pub(crate) struct Site {
    hash: AtomicU32,
    /// The next site of the chain, or zero.
    next: AtomicU32,
    first_frame: AtomicU32,
    frames: AtomicU32,
    context: AtomicU64,
    counters: SiteCounters,
}

// SAFETY: a struct of atomics whose zero is an empty site.
#[allow(unsafe_code)]
unsafe impl Zeroed for Site {}

/// Where the table's parts are in the arena.
pub(crate) struct SitesPlace {
    heads: Place<AtomicU32>,
    sites: Place<Site>,
    frames: Place<AtomicUsize>,
}

impl SitesPlace {
    pub(crate) fn new(layout: &mut Layout, max_sites: usize, max_depth: usize) -> Self {
        // Site zero is the one for what finds no room; one more word of a stack marks its truncation.
        let frames = max_sites * FRAMES_PER_SITE.min(max_depth + 1);
        Self {
            heads: layout.place(max_sites.next_power_of_two()),
            sites: layout.place(max_sites + 1),
            frames: layout.place(frames.max(max_depth + 1)),
        }
    }

    /// The table in `arena`.
    ///
    /// # Safety
    ///
    /// The arena lives for `'a`; the place was made with its layout and is used once.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn table<'a>(&self, arena: &Reservation) -> Sites<'a> {
        // SAFETY: forwarded from the caller.
        unsafe { Sites::new(arena.slice(&self.heads), arena.slice(&self.sites), arena.slice(&self.frames)) }
    }
}

/// The table of stacks of one session.
#[derive(Debug)]
pub(crate) struct Sites<'a> {
    /// First site of each chain, or zero. Their number is a power of two.
    heads: &'a [AtomicU32],
    sites: &'a [Site],
    frames: &'a [AtomicUsize],
    /// Sites and frame words handed out.
    used_sites: AtomicU32,
    used_frames: AtomicU32,
}

impl<'a> Sites<'a> {
    fn new(heads: &'a [AtomicU32], sites: &'a [Site], frames: &'a [AtomicUsize]) -> Self {
        Self { heads, sites, frames, used_sites: AtomicU32::new(1), used_frames: AtomicU32::new(0) }
    }

    /// Finds the site of `stack` in `context`, or adds it; [`SiteId::FULL`] where there is no room.
    pub(crate) fn intern(&self, stack: &[usize], context: Context) -> SiteId {
        let hash = hash(stack, context);
        let head = &self.heads[hash as usize & (self.heads.len() - 1)];
        let mut first = head.load(Acquire);
        if let Some(id) = self.find(first, 0, hash, stack, context) {
            return id;
        }
        let Some(id) = self.write(hash, stack, context) else {
            return SiteId::FULL;
        };
        loop {
            self.site(id).next.store(first, Relaxed);
            let Err(newer) = head.compare_exchange(first, id.0, AcqRel, Acquire) else {
                return id;
            };
            if let Some(other) = self.find(newer, first, hash, stack, context) {
                return other;
            }
            first = newer;
        }
    }

    /// Looks for `stack` from site `first` of a chain up to, and not including, site `end`.
    #[inline(always)]
    fn find(&self, first: u32, end: u32, hash: u32, stack: &[usize], context: Context) -> Option<SiteId> {
        let mut id = first;
        while id != end {
            let site = self.site(SiteId(id));
            if site.hash.load(Relaxed) == hash
                && site.context.load(Relaxed) == context.0
                && are_equal(&self.published_frames(site), stack)
            {
                return Some(SiteId(id));
            }
            id = site.next.load(Relaxed);
        }
        None
    }

    /// Writes `stack` as a site that no chain holds yet.
    fn write(&self, hash: u32, stack: &[usize], context: Context) -> Option<SiteId> {
        let first = take(&self.used_frames, stack.len(), self.frames.len())?;
        let id = take(&self.used_sites, 1, self.sites.len())?;
        for (word, frame) in self.frames[first as usize..].iter().zip(stack) {
            word.store(*frame, Relaxed);
        }
        let site = self.site(SiteId(id));
        site.hash.store(hash, Relaxed);
        site.context.store(context.0, Relaxed);
        site.first_frame.store(first, Relaxed);
        site.frames.store(stack.len() as u32, Relaxed);
        Some(SiteId(id))
    }

    fn site(&self, id: SiteId) -> &'a Site {
        &self.sites[id.0 as usize]
    }

    pub(crate) fn counters(&self, id: SiteId) -> &'a SiteCounters {
        &self.site(id).counters
    }

    /// The context that a site belongs to.
    pub(crate) fn context(&self, id: SiteId) -> Context {
        Context(self.site(id).context.load(Relaxed))
    }

    fn frames_of(&self, site: &Site) -> &'a [AtomicUsize] {
        let first = site.first_frame.load(Relaxed) as usize;
        &self.frames[first..][..site.frames.load(Relaxed) as usize]
    }

    /// The stack of a site that was found in a chain.
    #[allow(unsafe_code)]
    fn published_frames(&self, site: &Site) -> impl Deref<Target = [usize]> + use<'a> {
        // SAFETY: they were written before the site was put into its chain, and nobody writes them again.
        unsafe { sync::settled(self.frames_of(site)) }
    }

    /// The stack of a site, as it was interned.
    pub(crate) fn stack(&self, id: SiteId) -> impl Iterator<Item = usize> + use<'a> {
        self.frames_of(self.site(id)).iter().map(|word| word.load(Relaxed))
    }

    /// How many sites were handed out, [`SiteId::FULL`] included.
    pub(crate) fn len(&self) -> usize {
        self.used_sites.load(Acquire) as usize
    }

    /// Every site handed out so far. One that is just being written has nothing counted.
    pub(crate) fn ids(&self) -> impl Iterator<Item = SiteId> + use<> {
        (0..self.len() as u32).map(SiteId)
    }
}

/// Hands out `count` of `bound` things, or none.
fn take(used: &AtomicU32, count: usize, bound: usize) -> Option<u32> {
    let fits = |used: u32| {
        let after = used as usize + count;
        (after <= bound).then_some(after as u32)
    };
    used.fetch_update(AcqRel, Relaxed, fits).ok()
}

/// Whether the frames of a site are those of `stack`. Stacks with the same hash nearly always are equal, so it looks
/// at all frames before it answers, which takes fewer instructions.
#[inline(always)]
fn are_equal(frames: &[usize], stack: &[usize]) -> bool {
    let differ = |differ, (frame, other): (&usize, &usize)| differ | (frame ^ other);
    frames.len() == stack.len() && frames.iter().zip(stack).fold(0, differ) == 0
}

/// A hash of a stack and its context: two frames at a time are multiplied, and the halves of the product folded.
fn hash(stack: &[usize], context: Context) -> u32 {
    const SECRETS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];
    let fold = |hash: u64, one: usize, other: usize| {
        let product = u128::from(hash ^ one as u64) * u128::from(SECRETS[0] ^ other as u64);
        product as u64 ^ (product >> 64) as u64
    };
    let start = SECRETS[1] ^ context.0 ^ (stack.len() as u64) << 48;
    let (pairs, last) = stack.as_chunks::<2>();
    let hash = pairs.iter().fold(start, |hash, [one, other]| fold(hash, *one, *other));
    let hash = last.iter().fold(hash, |hash, frame| fold(hash, *frame, 0));
    (hash ^ (hash >> 32)) as u32
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::{runs, sampler::next_random, tag::Tag};
    use std::collections::{HashMap, HashSet};

    /// A table of its own, in memory that is never given back.
    fn table(max_sites: usize, max_depth: usize) -> Sites<'static> {
        let mut layout = Layout::default();
        let place = SitesPlace::new(&mut layout, max_sites, max_depth);
        let arena = Reservation::new(layout.bytes()).unwrap();
        // SAFETY: the arena is forgotten below, so it lives forever; the place is used once.
        #[allow(unsafe_code)]
        let sites = unsafe { place.table(&arena) };
        std::mem::forget(arena);
        sites
    }

    #[test]
    fn the_same_stack_is_the_same_site() {
        let sites = table(100, 8);
        let mut known = HashMap::new();
        for round in 0..3 {
            for stack in 0..100usize {
                let frames: Vec<usize> = (0..=stack % 7).map(|frame| stack * 31 + frame).collect();
                let id = sites.intern(&frames, Context::NONE);
                assert_ne!(id, SiteId::FULL);
                assert_eq!(*known.entry(frames.clone()).or_insert(id), id, "round {round}");
                assert!(sites.stack(id).eq(frames));
            }
        }
        assert_eq!(sites.len(), 101);
        assert_eq!(known.values().collect::<HashSet<_>>().len(), 100);
    }

    #[test]
    fn a_context_has_sites_of_its_own() {
        let sites = table(100, 8);
        let contexts = [(0, 0), (7, 0), (0, 7), (7, 7), (7, 8)]
            .map(|(scope, tag)| Context::new(scope, Tag::of_number(tag)));
        let ids = contexts.map(|context| sites.intern(&[1, 2], context));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), contexts.len());
        assert_eq!(contexts.map(|context| sites.intern(&[1, 2], context)), ids);
        assert_eq!(ids.map(|id| sites.context(id)), contexts);
    }

    #[test]
    fn what_finds_no_room_goes_to_one_site() {
        let sites = table(3, 8);
        let ids: Vec<SiteId> = (0..5).map(|stack| sites.intern(&[stack], Context::NONE)).collect();
        assert_eq!(ids[3..], [SiteId::FULL; 2]);
        assert_eq!(sites.intern(&[1], Context::NONE), ids[1], "a known stack is still found");
        // Frames run out as well: three sites share 27 words.
        let sites = table(3, 8);
        assert_ne!(sites.intern(&[1; 9], Context::NONE), SiteId::FULL);
        assert_ne!(sites.intern(&[2; 9], Context::NONE), SiteId::FULL);
        assert_ne!(sites.intern(&[3; 8], Context::NONE), SiteId::FULL);
        assert_eq!(sites.intern(&[4; 2], Context::NONE), SiteId::FULL);
        assert!(sites.intern(&[], Context::NONE) == SiteId::FULL, "no site is left");
    }

    #[test]
    fn agrees_with_a_map_in_long_runs() {
        for seed in runs::seeds() {
            let mut state = seed;
            let mut random = |below: u64| {
                let number;
                (state, number) = next_random(state);
                number % below
            };
            let (max_sites, max_depth) = (1 + random(300) as usize, 1 + random(8) as usize);
            let mut layout = Layout::default();
            let place = SitesPlace::new(&mut layout, max_sites, max_depth);
            let arena = Reservation::new(layout.bytes()).unwrap();
            // SAFETY: the arena lives until the end of the run; the place is used once.
            #[allow(unsafe_code)]
            let sites = unsafe { place.table(&arena) };
            let mut map = HashMap::new();
            for _ in 0..1000 {
                let stack: Vec<usize> =
                    (0..random(max_depth as u64 + 1)).map(|_| random(4) as usize).collect();
                let context = Context::new(random(2) as u32, Tag::of_number(random(2) as u16));
                let id = sites.intern(&stack, context);
                match map.get(&(stack.clone(), context)) {
                    Some(known) => assert_eq!(id, *known),
                    // There is room for all of these frames, so only sites run out.
                    None if map.len() < max_sites => {
                        assert_eq!(id.0 as usize, map.len() + 1);
                        map.insert((stack, context), id);
                    }
                    None => assert_eq!(id, SiteId::FULL),
                }
            }
            assert_eq!(sites.len(), map.len() + 1);
            for ((stack, context), id) in map {
                assert!(sites.stack(id).eq(stack) && sites.context(id) == context);
            }
        }
    }

    #[test]
    fn threads_agree_on_sites() {
        let sites = table(2000, 4);
        let ids: Vec<Vec<SiteId>> = std::thread::scope(|scope| {
            let work =
                || (0..500usize).map(|stack| sites.intern(&[stack, stack + 1], Context::NONE)).collect();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|other| *other == ids[0]));
    }
}
