//! Levels of buckets, each four times the size of the one before.

use super::slot::SLOTS;

/// Buckets of the first level: 1 024 slots in 32 KiB.
const FIRST_LEVEL: usize = 128;
const GROWTH: usize = 4;
/// Most levels that a table can have: 128 · (4¹⁰ - 1) / 3 buckets are beyond any bound.
const MAX_LEVELS: usize = 10;

/// Where each level starts; `ends[n]` is where level `n` ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    ends: [usize; MAX_LEVELS],
    count: usize,
}

impl Levels {
    /// Levels with a first level and a quarter more slots than `bound`: with entries put into the emptier
    /// of two buckets of a level, an entry then finds no room in any of them less than once in a million
    /// (by simulation, with a full table under churn).
    pub(super) fn new(bound: usize) -> Self {
        let total = (bound + bound / 4).div_ceil(SLOTS) + FIRST_LEVEL;
        let mut levels = Self { ends: [0; MAX_LEVELS], count: 0 };
        let (mut end, mut size) = (0, FIRST_LEVEL);
        while end < total && levels.count < MAX_LEVELS {
            // What would be less than a level more goes into this one.
            end = if end + 2 * size < total { end + size } else { total };
            levels.ends[levels.count] = end;
            levels.count += 1;
            size *= GROWTH;
        }
        levels
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Buckets of the first `open` levels.
    pub(super) fn buckets(&self, open: usize) -> usize {
        self.ends[open - 1]
    }

    /// The two buckets of level `level` that may hold the object at `address`.
    pub(super) fn choices(&self, level: usize, address: usize) -> [usize; 2] {
        let start = if level == 0 { 0 } else { self.ends[level - 1] };
        let buckets = (self.ends[level] - start) as u64;
        // Two rounds: blocks of one size class differ in a few bits only, and both halves are used.
        let hash = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let hash = hash ^ (hash >> 32);
        // Each half of the hash, as a fraction of the level.
        [hash >> 32, hash & 0xffff_ffff].map(|half| start + ((half * buckets) >> 32) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_to_the_bound() {
        let levels = Levels::new(1 << 18);
        assert_eq!(levels.count(), 5);
        assert_eq!(
            (1..=5).map(|open| levels.buckets(open)).collect::<Vec<_>>(),
            [128, 640, 2688, 10_880, 41_088]
        );
        assert_eq!((Levels::new(1).count(), Levels::new(1).buckets(1)), (1, 129));
        let most = Levels::new(crate::config::MAX_LIVE_SAMPLES);
        assert_eq!(most.buckets(most.count()), (5 << 19) + FIRST_LEVEL);
    }

    #[test]
    fn choices_lie_in_their_level() {
        let levels = Levels::new(10_000);
        for address in (0..100_000).map(|n| n * 16) {
            assert!(levels.choices(0, address).iter().all(|bucket| *bucket < 128));
            assert!(levels.choices(1, address).iter().all(|bucket| (128..640).contains(bucket)));
        }
    }
}
