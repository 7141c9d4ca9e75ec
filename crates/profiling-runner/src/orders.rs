//! What the runner's thread is asked to do, and whether it has ended.

use std::{
    io, process,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering::SeqCst},
    },
    time::Duration,
};

use rustix::thread::gettid;

use crate::wake::Wake;

const REPORT: u8 = 1;
const FRESH: u8 = 2;
const END: u8 = 4;

/// What the runner's thread is asked to do: shared with whoever asks, signal handlers and forked children among them.
///
/// A child has a copy of this, and no such thread; nobody may wait there, or take the lock, which may have been held at
/// the fork.
#[derive(Debug)]
pub(crate) struct Orders {
    /// The process that has the thread.
    process: u32,
    asked: AtomicU8,
    wake: Wake,
    /// Whether the next signal that ends the program ends it as if there were no runner: one has come, or the thread
    /// is not there any more.
    is_ending: AtomicBool,
    /// The thread, by its number; 0 before it runs.
    thread: AtomicI32,
    has_ended: Mutex<bool>,
    ended: Condvar,
    /// How long an end is waited for.
    patience: Duration,
}

/// What was asked since the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// A report.
    pub(crate) report: bool,
    /// A report, and a new baseline.
    pub(crate) fresh: bool,
    /// To end.
    pub(crate) end: bool,
}

impl Orders {
    pub(crate) fn new(patience: Duration) -> io::Result<Self> {
        Ok(Self {
            process: process::id(),
            asked: AtomicU8::new(0),
            wake: Wake::new()?,
            is_ending: AtomicBool::new(false),
            thread: AtomicI32::new(0),
            has_ended: Mutex::new(false),
            ended: Condvar::new(),
            patience,
        })
    }

    /// Whether this process has the thread, so that it is not a forked child. May be called in a signal handler.
    pub(crate) fn is_here(&self) -> bool {
        process::id() == self.process
    }

    /// May be called in a signal handler.
    fn ask(&self, what: u8) {
        if self.is_here() {
            self.asked.fetch_or(what, SeqCst);
            self.wake.wake();
        }
    }

    /// May be called in a signal handler.
    pub(crate) fn ask_for_report(&self) {
        self.ask(REPORT);
    }

    pub(crate) fn ask_for_fresh_start(&self) {
        self.ask(FRESH);
    }

    /// A signal came that ends the program: true where it has to end at once, since nobody else would end it. May be
    /// called in a signal handler.
    pub(crate) fn must_end_at_once(&self) -> bool {
        if !self.is_here() || self.is_ending.swap(true, SeqCst) {
            return true;
        }
        self.ask(END);
        false
    }

    /// Asks the thread to end, and waits for that, as long as there is patience. True: it has ended.
    pub(crate) fn end(&self) -> bool {
        self.ask(END);
        if !self.is_here() || self.thread.load(SeqCst) == gettid().as_raw_nonzero().get() {
            return false;
        }
        let has_ended = self.has_ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(has_ended, self.patience, |has_ended| !*has_ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// For the thread: sleeps for so long, or until it is asked for something.
    pub(crate) fn wait(&self, at_most: Duration) -> Asked {
        if self.asked.load(SeqCst) == 0 {
            self.wake.sleep(at_most);
        }
        let asked = self.asked.swap(0, SeqCst);
        Asked { report: asked & REPORT != 0, fresh: asked & FRESH != 0, end: asked & END != 0 }
    }

    /// For the thread, when it begins.
    pub(crate) fn begin(&self) {
        self.thread.store(gettid().as_raw_nonzero().get(), SeqCst);
    }

    /// The thread could not be started: nobody will wait for it, and signals end the program as if there were no
    /// runner.
    pub(crate) fn never_began(&self) {
        self.is_ending.store(true, SeqCst);
        self.has_ended();
    }

    /// For the thread, when it takes no more orders: whether a signal came that is to end the program. One that comes
    /// later ends it at once.
    pub(crate) fn is_ended_by_signal(&self) -> bool {
        self.is_ending.swap(true, SeqCst)
    }

    /// For the thread, as the last thing it does.
    pub(crate) fn has_ended(&self) {
        *self.has_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn orders_are_taken_once_and_together() {
        let orders = Orders::new(LONG).unwrap();
        (0..20).for_each(|_| orders.ask_for_report());
        orders.ask_for_fresh_start();
        assert_eq!(orders.wait(LONG), Asked { report: true, fresh: true, end: false });
        assert_eq!(orders.wait(Duration::ZERO), Asked::default());
    }

    #[test]
    fn who_ends_it_waits_for_that() {
        let orders = Orders::new(LONG).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                orders.begin();
                while !orders.wait(LONG).end {}
                assert!(!orders.end(), "it cannot wait for itself");
                orders.has_ended();
            });
            assert!(orders.end() && orders.end());
        });
        let nobody = Orders::new(Duration::from_millis(1)).unwrap();
        assert!(!nobody.end(), "and not for ever");
    }

    #[test]
    fn of_signals_that_end_the_first_one_waits_for_the_report() {
        let orders = Orders::new(LONG).unwrap();
        assert!(!orders.must_end_at_once() && orders.wait(LONG).end);
        assert!(orders.must_end_at_once(), "the second one");
        assert!(orders.is_ended_by_signal());
        let stopped = Orders::new(LONG).unwrap();
        assert!(!stopped.is_ended_by_signal() && stopped.must_end_at_once(), "nobody is there");
    }

    #[test]
    fn a_child_has_nobody_to_ask_or_to_wait_for() {
        let mut orders = Orders::new(LONG).unwrap();
        orders.process = process::id() + 1;
        orders.ask_for_report();
        assert!(orders.must_end_at_once() && !orders.end());
        assert_eq!(orders.asked.load(SeqCst), 0);
    }
}
