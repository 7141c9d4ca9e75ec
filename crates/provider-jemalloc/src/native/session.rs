use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use super::control;

/// The run that was started last: jemalloc's profiler is one for the process, and does not tell its runs apart.
static LAST: AtomicU64 = AtomicU64::new(0);

/// One run of jemalloc's profiler, as its owner and its readers share it.
#[derive(Clone, Debug)]
pub(super) struct Session(Arc<Run>);

#[derive(Debug)]
struct Run {
    number: u64,
    /// The last one that was started when this was begun: itself, or the one that it is attached to.
    last: u64,
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
        if started_at.is_some() {
            LAST.store(number, Ordering::Release);
        }
        let last = LAST.load(Ordering::Acquire);
        let (began, is_over) = (Instant::now(), AtomicBool::new(false));
        Self(Arc::new(Run { number, last, started_at, began, is_over }))
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
        let is_last = LAST.load(Ordering::Acquire) == self.0.last;
        is_last && !self.0.is_over.load(Ordering::Acquire) && control::is_active()
    }

    pub(super) fn end(&self) {
        self.0.is_over.store(true, Ordering::Release);
    }
}
