//! How memory went, for whoever looks later.

mod document;

use std::{
    io, mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::{
    figures::Figures,
    moments::{Counted, Moments},
    points::{Point, Points},
    refusal::Refusal,
    session::Session,
};

/// How memory went, for whoever looks later: a thread reads figures now and then, and keeps moments.
#[derive(Debug)]
pub(crate) struct History {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Where the thread is: a forked child has none.
    process: u32,
}

#[derive(Debug)]
struct Shared {
    session: Arc<Session>,
    every: Duration,
    kept: Mutex<Kept>,
    /// Told when there is something to do before the next point is due.
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Kept {
    points: Points,
    moments: Moments,
    /// The session that the moments are of.
    session: Option<u64>,
    is_over: bool,
    /// Whether a point is wanted at once.
    is_wanted: bool,
}

impl History {
    pub(crate) fn start(session: Arc<Session>, every: Duration) -> io::Result<Self> {
        let shared = Arc::new(Shared { session, every, kept: Mutex::default(), wake: Condvar::new() });
        let of_thread = Arc::clone(&shared);
        let attend = move || of_thread.session.left_out(|| of_thread.attend());
        let thread = thread::Builder::new().name("heap-history".to_owned()).spawn(attend)?;
        Ok(Self { shared, thread: Some(thread), process: std::process::id() })
    }

    /// One JSON object.
    pub(crate) fn json(&self) -> String {
        document::json(&self.shared.lock(), self.shared.every)
    }

    /// What was counted at the moment with this number.
    pub(crate) fn moment(&self, id: u64) -> Result<Arc<Counted>, Refusal> {
        self.shared.lock().moments.get(id).ok_or(Refusal::NoSuchMoment)
    }

    /// The session is another one now, or over.
    pub(crate) fn session_changed(&self) {
        self.shared.lock().is_wanted = true;
        self.shared.wake.notify_all();
    }
}

impl Drop for History {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        if self.process != std::process::id() {
            // A child's copy: there is no such thread, and its number may be another one's.
            mem::forget(thread);
            return;
        }
        self.shared.lock().is_over = true;
        self.shared.wake.notify_all();
        // If it panicked, that was printed.
        let _ = thread.join();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of the thread.
    fn attend(&self) {
        loop {
            let due = Instant::now() + self.every;
            // Before it reads: a session that changes meanwhile is read once more.
            self.lock().is_wanted = false;
            let read = self
                .session
                .source()
                .and_then(|source| Figures::read(&*source).map_err(|error| Refusal::of(&error)));
            let mut kept = self.lock();
            match read {
                Ok((figures, counted)) => kept.keep(now(), &figures, counted),
                // For as long as a snapshot of the sampler is there, so are the tables of its session.
                Err(Refusal::Inactive) => kept.moments.clear(),
                Err(_) => {}
            }
            while !kept.is_over && !kept.is_wanted {
                let left = due.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                let woken = self.wake.wait_timeout(kept, left);
                kept = woken.unwrap_or_else(PoisonError::into_inner).0;
            }
            if kept.is_over {
                return;
            }
        }
    }
}

impl Kept {
    fn keep(&mut self, time: u64, figures: &Figures, counted: Counted) {
        let Some(point) = Point::of(time, figures) else { return };
        if self.session != Some(point.session) {
            self.moments.clear();
            self.session = Some(point.session);
        }
        self.moments.keep(time, point.live, counted, |counted| counted.memory());
        self.points.add(point);
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
