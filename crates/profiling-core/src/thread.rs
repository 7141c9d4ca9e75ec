//! What a thread remembers between two calls of the hook: a few plain cells, without a destructor.

use std::cell::Cell;

use crate::{
    capture::StackBounds,
    epoch::Epoch,
    sampler::{Interval, next_random},
    tag::HeldTags,
};

/// The state of one thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The [`Epoch`] that `countdown` was drawn in, or one of the marks below. Any other value than the
    /// current epoch sends the hook to its slow path, so that the fast path needs one comparison for "a
    /// new session", "another interval", "inside the profiler" and "being probed" together.
    epoch: Cell<u64>,
    /// Bytes up to and including the next mark; zero or less: the mark was passed.
    countdown: Cell<i64>,
    /// Whether the countdown ends before the next mark, at the limit of giant requests: then none of them is missed.
    ends_early: Cell<bool>,
    /// State of the generator.
    random: Cell<u64>,
    /// What the thread's requests are counted under; see [`crate::scope`].
    scope: Cell<u32>,
    tags: HeldTags,
    /// What is known of the thread's stack.
    stack: StackBounds,
}

/// In no session yet.
const NONE: u64 = Epoch::NONE.0;
/// Inside the profiler: what this thread requests is neither charged nor recorded.
const INSIDE: u64 = u64::MAX;
/// The next request shall answer whether the hook is installed.
const PROBED: u64 = u64::MAX - 1;

thread_local! {
    static THREAD: Thread = const { Thread::new() };
}

// A destructor would have to be registered, which allocates, and would make the state unusable while
// other thread-locals are destroyed.
const _: () = assert!(!std::mem::needs_drop::<Thread>());

/// Runs `call` with this thread's state.
#[inline(always)]
pub(crate) fn with<T>(call: impl FnOnce(&Thread) -> T) -> T {
    THREAD.with(call)
}

/// Keeps a thread inside the profiler, or asking it, and lets it go where it was before.
#[derive(Debug)]
pub(crate) struct Inside<'a> {
    thread: &'a Thread,
    before: u64,
}

impl Thread {
    pub(crate) const fn new() -> Self {
        Self {
            epoch: Cell::new(NONE),
            countdown: Cell::new(0),
            ends_early: Cell::new(false),
            random: Cell::new(0),
            scope: Cell::new(0),
            tags: HeldTags::new(),
            stack: StackBounds::new(),
        }
    }

    /// Charges `size` bytes to the countdown. True: the slow path has to look, because the mark was
    /// passed or because the thread is not in `epoch`.
    #[inline(always)]
    pub(crate) fn charge(&self, epoch: Epoch, size: usize) -> bool {
        if self.epoch.get() != epoch.0 {
            return true;
        }
        // Compared before the subtraction, so that one instruction does both.
        let before = self.countdown.get();
        self.countdown.set(before.wrapping_sub(size as i64));
        before <= size as i64
    }

    /// The epoch that the thread's countdown was drawn in; meaningless inside the profiler.
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch(self.epoch.get())
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.epoch.get() == INSIDE
    }

    /// Whether the mark was passed. Where the countdown had ended before it, the next mark is drawn from there on,
    /// which changes nothing: as long as there was none, it is as far away as ever.
    #[inline(always)]
    pub(crate) fn is_due(&self, interval: impl FnOnce() -> Interval, limit: i64) -> bool {
        self.countdown.get() <= 0 && (!self.ends_early.get() || self.is_due_beyond(interval(), limit))
    }

    #[cold]
    #[inline(never)]
    fn is_due_beyond(&self, interval: Interval, limit: i64) -> bool {
        self.ends_early.set(false);
        let mark = interval.draw(self.next_random()).saturating_add(self.countdown.get());
        self.set_mark(mark, limit);
        mark <= 0
    }

    /// Bytes until the request with the next mark; at least one.
    pub(crate) fn until_mark(&self) -> u64 {
        self.countdown.get().max(1) as u64
    }

    /// Starts the generator for a session.
    pub(crate) fn seed(&self, seed: u64) {
        self.random.set(seed);
    }

    /// Goes into `epoch`, with a mark that is drawn for it, whatever the countdown was.
    pub(crate) fn join(&self, epoch: Epoch, interval: Interval, limit: i64) {
        self.ends_early.set(false);
        self.draw(epoch, interval, limit);
    }

    /// Draws the next mark, counted from here, in `epoch` with its interval. The mark before was passed. Requests above `limit` always end the
    /// countdown.
    pub(crate) fn draw(&self, epoch: Epoch, interval: Interval, limit: i64) {
        self.set_mark(interval.draw(self.next_random()), limit);
        self.epoch.set(epoch.0);
    }

    /// Expects a countdown that does not end early, as a mark that was passed leaves it.
    #[inline(always)]
    fn set_mark(&self, mark: i64, limit: i64) {
        if mark > limit {
            self.end_early(limit);
        } else {
            self.countdown.set(mark);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_early(&self, limit: i64) {
        self.ends_early.set(true);
        self.countdown.set(limit);
    }

    /// The next number of the thread's generator, uniform over all 64-bit values.
    pub(crate) fn next_random(&self) -> u64 {
        let (state, random) = next_random(self.random.get());
        self.random.set(state);
        random
    }

    pub(crate) fn stack(&self) -> &StackBounds {
        &self.stack
    }

    pub(crate) fn scope(&self) -> u32 {
        self.scope.get()
    }

    /// Puts the thread's requests under another scope; answers the one before.
    pub(crate) fn set_scope(&self, scope: u32) -> u32 {
        self.scope.replace(scope)
    }

    /// The tags that the thread holds.
    pub(crate) fn tags(&self) -> &HeldTags {
        &self.tags
    }

    /// Goes inside the profiler, or answers `None` where the thread is there already.
    pub(crate) fn enter(&self) -> Option<Inside<'_>> {
        let before = self.epoch.replace(INSIDE);
        (before != INSIDE).then_some(Inside { thread: self, before })
    }

    /// Runs `call` inside the profiler, wherever the thread was.
    pub(crate) fn inside<T>(&self, call: impl FnOnce() -> T) -> T {
        let _inside = self.enter();
        call()
    }

    /// From now until the guard is dropped, the first request of this thread is a probe.
    pub(crate) fn ask(&self) -> Inside<'_> {
        Inside { thread: self, before: self.epoch.replace(PROBED) }
    }

    /// Whether this request is a probe; it is answered by looking.
    pub(crate) fn answers_probe(&self) -> bool {
        let probed = self.epoch.get() == PROBED;
        if probed {
            self.epoch.set(INSIDE);
        }
        probed
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.thread.epoch.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::giants::NO_LIMIT;

    fn joined(epoch: Epoch) -> Thread {
        let thread = Thread::new();
        thread.seed(1);
        thread.draw(epoch, Interval::new(1 << 40), NO_LIMIT);
        thread
    }

    #[test]
    fn a_thread_is_charged_in_its_epoch_only() {
        let epoch = Epoch::first(3);
        assert!(Thread::new().charge(epoch, 1), "not in a session");
        let thread = joined(epoch);
        assert!(!thread.charge(epoch, 100));
        assert!(thread.charge(Epoch::first(4), 100), "another session");
        assert!(thread.charge(epoch.with_doublings(1), 100), "another interval");
        let before = thread.countdown.get();
        thread.inside(|| {
            assert!(thread.charge(epoch, 100) && thread.is_inside(), "inside");
            assert!(thread.enter().is_none());
        });
        assert_eq!(thread.countdown.get(), before, "nothing was charged inside");
        assert_eq!(thread.epoch(), epoch);
        assert!(
            thread.charge(epoch, isize::MAX as usize) && thread.is_due(|| Interval::new(1 << 40), NO_LIMIT)
        );
    }

    #[test]
    fn a_mark_is_the_byte_that_the_countdown_ends_at() {
        let thread = joined(Epoch::first(3));
        thread.countdown.set(100);
        assert!(!thread.charge(Epoch::first(3), 99));
        assert!(thread.charge(Epoch::first(3), 1));
    }

    #[test]
    fn a_request_above_the_limit_always_ends_the_countdown() {
        let (epoch, limit) = (Epoch::first(3), 1 << 20);
        let thread = Thread::new();
        thread.seed(1);
        for size in [0, 1, limit / 2, limit, limit + 1] {
            for _ in 0..1000 {
                thread.join(epoch, Interval::new(1 << 30), limit);
                let ends = thread.charge(epoch, size as usize);
                assert!(ends || size <= limit);
            }
        }
    }

    #[test]
    fn a_limit_below_the_interval_does_not_move_the_marks() {
        // Requests of a mebibyte at intervals of 16, with the limit at half, one and sixteen of them.
        const REQUESTS: usize = 40_000;
        let (epoch, interval, size) = (Epoch::first(3), Interval::new(16 << 20), 1 << 20);
        let p = 1.0 - (-1.0f64 / 16.0).exp();
        for limit in [1 << 19, 1 << 20, 1 << 24, NO_LIMIT] {
            let thread = Thread::new();
            thread.seed(7);
            thread.draw(epoch, interval, limit);
            let mut gaps = [0usize; 4];
            let (mut hits, mut last) = (0, 0);
            for request in 0..REQUESTS {
                if thread.charge(epoch, size) && thread.is_due(|| interval, limit) {
                    // Quarters of the distribution of gaps, which is geometric.
                    let rank = 1.0 - (1.0 - p).powi((request - last) as i32);
                    gaps[((rank * 4.0) as usize).min(3)] += 1;
                    (hits, last) = (hits + 1, request);
                    thread.draw(epoch, interval, limit);
                }
            }
            let expected = REQUESTS as f64 * p;
            let error = (expected * (1.0 - p)).sqrt();
            assert!((f64::from(hits) - expected).abs() < 4.0 * error, "{limit}: {hits} of {expected}");
            // The distribution is discrete, so that its quarters are so only within its largest step, p.
            let quarter = f64::from(hits) / 4.0;
            let far =
                |count: usize| (count as f64 - quarter).abs() > 4.0 * quarter.sqrt() + p * f64::from(hits);
            assert!(!gaps.into_iter().any(far), "{limit}: {gaps:?}");
        }
    }

    #[test]
    fn a_probe_is_answered_once() {
        let thread = Thread::new();
        assert!(!thread.answers_probe());
        let asking = thread.ask();
        assert!(thread.answers_probe());
        assert!(!thread.answers_probe() && thread.is_inside());
        drop(asking);
        assert_eq!(thread.epoch(), Epoch::NONE);
    }
}
