//! Levels of buckets, each as large as all before it.

use super::{bucket::SLOTS, spread::Spread};
use crate::sync::sized;

/// Buckets of the first level: 1 536 slots in 48 KiB. Not a power of two, so that a level is not opened just
/// when the filter grows.
const FIRST_LEVEL: usize = sized(192, 1);
/// Most levels that a table can have: 192 · 2¹⁵ buckets are beyond any bound.
const MAX_LEVELS: usize = 16;

/// Where the levels are, in a table of buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    levels: [Level; MAX_LEVELS],
    count: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    start: usize,
    /// Buckets.
    size: usize,
}

impl Levels {
    /// Levels with a first level and a quarter more slots than `bound`: with entries put into the emptier
    /// of two buckets of a level, an entry then finds no room in any of them less than once in a million
    /// (by simulation, with a full table under churn).
    pub(super) fn new(bound: usize) -> Self {
        let total = (bound + bound / 4).div_ceil(SLOTS) + FIRST_LEVEL;
        let mut levels = Self { levels: [Level::default(); MAX_LEVELS], count: 0 };
        let mut start = 0;
        while start < total && levels.count < MAX_LEVELS {
            let end = start + start.max(FIRST_LEVEL);
            // What would be a small level goes into the one before.
            let end = if total <= end + end / 4 { total } else { end };
            levels.levels[levels.count] = Level { start, size: end - start };
            levels.count += 1;
            start = end;
        }
        levels
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Buckets of the first `open` levels.
    pub(super) fn buckets(&self, open: usize) -> usize {
        let last = self.level(open - 1);
        last.start + last.size
    }

    /// The two buckets of level `level` that may hold an object.
    pub(super) fn choices(&self, level: usize, spread: Spread) -> [usize; 2] {
        let Level { start, size } = self.level(level);
        spread.choices().map(|fraction| start + ((fraction * size as u64) >> 32) as usize)
    }

    fn level(&self, level: usize) -> Level {
        // The remainder is what it was, and spares a check.
        self.levels[level % MAX_LEVELS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_to_the_bound() {
        let ends = |bound| {
            let levels = Levels::new(bound);
            (1..=levels.count()).map(|open| levels.buckets(open)).collect::<Vec<_>>()
        };
        assert_eq!(ends(1 << 18), [192, 384, 768, 1536, 3072, 6144, 12_288, 24_576, 41_152]);
        assert_eq!(ends(1), [193]);
        assert_eq!(ends(1000), [192, 349]);
        let most = ends(crate::config::MAX_LIVE_SAMPLES);
        assert_eq!((most.len(), most.last()), (15, Some(&((5 << 19) + FIRST_LEVEL))));
    }

    #[test]
    fn choices_lie_in_their_level() {
        let levels = Levels::new(10_000);
        for spread in (0..100_000).map(|n| Spread::of(0x10_0000 + n * 16)) {
            assert!(levels.choices(0, spread).iter().all(|bucket| *bucket < 192));
            assert!(levels.choices(1, spread).iter().all(|bucket| (192..384).contains(bucket)));
        }
    }
}
