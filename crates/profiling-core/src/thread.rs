//! What a thread remembers between two calls of the hook: three plain cells, without a destructor.

use std::cell::Cell;

use crate::sampler::{Interval, next_random};

/// The state of one thread.
#[derive(Debug)]
pub(crate) struct Thread {
    /// The session that `countdown` belongs to, or one of the marks below. Any other value than the
    /// active session's number sends the hook to its slow path, so that the fast path needs one
    /// comparison for "a new session", "inside the profiler" and "being probed" together.
    session: Cell<u64>,
    /// Bytes up to and including the next mark; zero or less: the mark was passed.
    countdown: Cell<i64>,
    /// State of the generator.
    random: Cell<u64>,
}

/// In no session yet.
const NONE: u64 = 0;
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
        Self { session: Cell::new(NONE), countdown: Cell::new(0), random: Cell::new(0) }
    }

    /// Charges `size` bytes to the countdown. True: the slow path has to look, because the mark was
    /// passed or because the thread is not in `session`.
    #[inline(always)]
    pub(crate) fn charge(&self, session: u64, size: usize) -> bool {
        if self.session.get() != session {
            return true;
        }
        let left = self.countdown.get().wrapping_sub(size as i64);
        self.countdown.set(left);
        left <= 0
    }

    pub(crate) fn is_in(&self, session: u64) -> bool {
        self.session.get() == session
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.session.get() == INSIDE
    }

    /// Whether the mark was passed.
    pub(crate) fn is_due(&self) -> bool {
        self.countdown.get() <= 0
    }

    /// Joins `session`, with a first mark drawn from where the thread is now.
    pub(crate) fn join(&self, session: u64, seed: u64, interval: Interval) {
        self.random.set(seed);
        self.draw(interval);
        self.session.set(session);
    }

    /// Draws the next mark, counted from here.
    pub(crate) fn draw(&self, interval: Interval) {
        let (state, random) = next_random(self.random.get());
        self.random.set(state);
        self.countdown.set(interval.draw(random));
    }

    /// Goes inside the profiler, or answers `None` where the thread is there already.
    pub(crate) fn enter(&self) -> Option<Inside<'_>> {
        let before = self.session.replace(INSIDE);
        (before != INSIDE).then_some(Inside { thread: self, before })
    }

    /// Runs `call` inside the profiler, wherever the thread was.
    pub(crate) fn inside<T>(&self, call: impl FnOnce() -> T) -> T {
        let _inside = self.enter();
        call()
    }

    /// From now until the guard is dropped, the first request of this thread is a probe.
    pub(crate) fn ask(&self) -> Inside<'_> {
        Inside { thread: self, before: self.session.replace(PROBED) }
    }

    /// Whether this request is a probe; it is answered by looking.
    pub(crate) fn answers_probe(&self) -> bool {
        let probed = self.session.get() == PROBED;
        if probed {
            self.session.set(INSIDE);
        }
        probed
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.thread.session.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_charged_in_its_session_only() {
        let thread = Thread::new();
        assert!(thread.charge(3, 1), "not in a session");
        thread.join(3, 1, Interval::new(1 << 40));
        assert!(!thread.charge(3, 100));
        assert!(thread.charge(4, 100), "another session");
        let before = thread.countdown.get();
        thread.inside(|| {
            assert!(thread.charge(3, 100) && thread.is_inside(), "inside");
            assert!(thread.enter().is_none());
        });
        assert_eq!(thread.countdown.get(), before, "nothing was charged inside");
        assert!(thread.is_in(3));
        assert!(thread.charge(3, isize::MAX as usize) && thread.is_due());
    }

    #[test]
    fn a_mark_is_the_byte_that_the_countdown_ends_at() {
        let thread = Thread::new();
        thread.join(3, 1, Interval::new(1 << 40));
        thread.countdown.set(100);
        assert!(!thread.charge(3, 99));
        assert!(thread.charge(3, 1));
    }

    #[test]
    fn a_probe_is_answered_once() {
        let thread = Thread::new();
        assert!(!thread.answers_probe());
        let asking = thread.ask();
        assert!(thread.answers_probe());
        assert!(!thread.answers_probe() && thread.is_inside());
        drop(asking);
        assert!(thread.is_in(NONE));
    }
}
