use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use super::control;

/// One run of jemalloc's profiler, as its owner and its readers share it.
#[derive(Clone, Debug)]
pub(super) struct Session(Arc<Run>);

#[derive(Debug)]
struct Run {
    number: u64,
    /// When it was started; who attaches does not know that.
    started_at: Option<SystemTime>,
    /// When it was started, or attached to.
    began: Instant,
    is_over: AtomicBool,
}

impl Session {
    /// A run that begins now, or is attached to now.
    pub(super) fn begin(started_at: Option<SystemTime>) -> Self {
        // The seed of a hasher is another one each time.
        let number = RandomState::new().hash_one(std::process::id());
        let (began, is_over) = (Instant::now(), AtomicBool::new(false));
        Self(Arc::new(Run { number, started_at, began, is_over }))
    }

    pub(super) fn number(&self) -> u64 {
        self.0.number
    }

    pub(super) fn started_at(&self) -> Option<SystemTime> {
        self.0.started_at
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.began.elapsed()
    }

    pub(super) fn is_active(&self) -> bool {
        !self.0.is_over.load(Ordering::Acquire) && control::is_active()
    }

    pub(super) fn end(&self) {
        self.0.is_over.store(true, Ordering::Release);
    }
}
