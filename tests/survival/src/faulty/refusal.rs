//! Which requests are answered with null.

use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};

use super::gate::this_thread;

/// Which requests are answered with null: none, a share of them, or some of one thread's.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// Of 256 requests, how many are refused.
    share: AtomicU64,
    requests: AtomicU64,
    /// The thread whose requests are counted, or zero.
    thread: AtomicUsize,
    /// How many of its requests are granted before one is refused, the first of `refused`.
    granted: AtomicU64,
    refused: AtomicU64,
}

impl Refusal {
    pub(super) const fn new() -> Self {
        Self {
            share: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            thread: AtomicUsize::new(0),
            granted: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Refuses every second request, at random, from all threads, while `body` runs.
    pub(crate) fn half_during<T>(&self, body: impl FnOnce() -> T) -> T {
        self.share.store(128, SeqCst);
        let answer = body();
        self.share.store(0, SeqCst);
        answer
    }

    /// Grants so many requests of this thread while `body` runs, and then refuses so many.
    pub(crate) fn after_during<T>(&self, granted: u64, refused: u64, body: impl FnOnce() -> T) -> T {
        self.granted.store(granted, SeqCst);
        self.refused.store(refused, SeqCst);
        self.thread.store(this_thread(), SeqCst);
        let answer = body();
        self.thread.store(0, SeqCst);
        answer
    }

    pub(super) fn refuses(&self) -> bool {
        let share = self.share.load(Relaxed);
        if share != 0 {
            let number = self.requests.fetch_add(1, Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            return (number ^ number >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56 < share;
        }
        let thread = self.thread.load(Relaxed);
        if thread == 0 || thread != this_thread() {
            return false;
        }
        let take_one =
            |left: &AtomicU64| left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
        !take_one(&self.granted) && take_one(&self.refused)
    }
}
