//! Moments that are kept, so that what grew between two of them can be told later.

use std::{collections::VecDeque, sync::Arc};

use allometer_profile::{self as profile, Estimate};

/// Most moments that are kept.
pub(crate) const MAX: usize = 16;
/// Most memory that they take together, in bytes, unless one alone takes more.
const MAX_MEMORY: usize = 16 << 20;

/// What a source had counted, as it is kept.
pub(crate) type Counted = Box<dyn profile::Moment>;

/// A moment that is kept.
#[derive(Debug)]
pub(crate) struct Moment<C = Counted> {
    /// Later ones have larger numbers.
    pub(crate) id: u64,
    /// Milliseconds since 1970.
    pub(crate) time: u64,
    /// Live bytes.
    pub(crate) live: Estimate,
    pub(crate) counted: Arc<C>,
}

/// Moments that are kept: the first one, the last ones, and of those between the fewer the older they are.
#[derive(Debug)]
pub(crate) struct Moments<C = Counted> {
    kept: VecDeque<Moment<C>>,
    next_id: u64,
}

impl<C> Default for Moments<C> {
    fn default() -> Self {
        Self { kept: VecDeque::new(), next_id: 1 }
    }
}

impl<C> Moments<C> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Moment<C>> {
        self.kept.iter()
    }

    /// What was counted at the moment with this number.
    pub(crate) fn get(&self, id: u64) -> Option<Arc<C>> {
        self.kept.iter().find(|moment| moment.id == id).map(|moment| Arc::clone(&moment.counted))
    }

    /// Keeps one more, which takes so much memory as `memory` says.
    pub(crate) fn keep(&mut self, time: u64, live: Estimate, counted: C, memory: impl Fn(&C) -> usize) {
        self.kept.push_back(Moment { id: self.next_id, time, live, counted: Arc::new(counted) });
        self.next_id += 1;
        let sum =
            |kept: &VecDeque<Moment<C>>| kept.iter().map(|moment| memory(&moment.counted)).sum::<usize>();
        while self.kept.len() > MAX || (self.kept.len() > 1 && sum(&self.kept) > MAX_MEMORY) {
            self.kept.remove(self.least());
        }
    }

    /// The one that leaves the smallest gap, for its age, when it goes. Of two it is the first.
    fn least(&self) -> usize {
        let last = self.kept.len() - 1;
        let now = self.kept[last].time;
        let gap = |at: &usize| {
            let (before, after) = (self.kept[at - 1].time, self.kept[at + 1].time);
            // The clock may be set back.
            after.saturating_sub(before) as f64 / now.saturating_sub(before).max(1) as f64
        };
        (1..last).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(0)
    }

    /// They are of a session that is over: its memory is theirs alone.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: Estimate = Estimate::exact(1.0);

    fn times(moments: &Moments<()>) -> Vec<u64> {
        moments.iter().map(|moment| moment.time).collect()
    }

    #[test]
    fn the_first_and_the_last_stay_and_gaps_grow_with_age() {
        let mut moments = Moments::default();
        for second in 0..10_000 {
            moments.keep(second * 1000, LIVE, (), |()| 0);
        }
        let times = times(&moments);
        assert_eq!((times.len(), times[0], times[MAX - 1]), (MAX, 0, 9_999_000));
        assert_eq!(times[MAX - 2], 9_998_000, "{times:?}");
        // Each age has one that is at most about twice as old.
        let ages: Vec<u64> = times.iter().rev().map(|time| 9_999_000 - time).collect();
        assert!(ages.windows(2).skip(1).all(|pair| pair[1] <= 4 * pair[0]), "{ages:?}");
    }

    #[test]
    fn numbers_are_not_used_again() {
        let mut moments = Moments::default();
        moments.keep(1, LIVE, 'a', |_| 0);
        moments.clear();
        moments.keep(2, LIVE, 'b', |_| 0);
        assert!(moments.get(1).is_none());
        assert_eq!(moments.get(2).as_deref(), Some(&'b'));
    }

    #[test]
    fn memory_is_bounded_but_one_is_kept() {
        let mut moments = Moments::default();
        for time in 0..9 {
            moments.keep(time, LIVE, (), |()| MAX_MEMORY / 3);
        }
        assert_eq!(times(&moments).len(), 3);
        assert_eq!((times(&moments)[0], times(&moments)[2]), (0, 8));
        for time in 9..12 {
            moments.keep(time, LIVE, (), |()| MAX_MEMORY + 1);
        }
        assert_eq!(times(&moments), [11]);
    }
}
