//! Holds one thread inside the allocator until it is let go.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use allometer_lines::wait_until;

/// Where a thread can be held.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The thread to hold when it comes; zero: nobody.
    wanted: AtomicUsize,
    is_held: AtomicBool,
    is_open: AtomicBool,
}

thread_local! {
    /// Its address tells a thread from others.
    static OWN: u8 = const { 0 };
}

pub(super) fn this_thread() -> usize {
    OWN.with(|own| std::ptr::from_ref(own).addr())
}

impl Gate {
    pub(super) const fn new() -> Self {
        Self { wanted: AtomicUsize::new(0), is_held: AtomicBool::new(false), is_open: AtomicBool::new(false) }
    }

    /// Nobody is waited for yet; whoever is held from now on stays until [`Gate::open`].
    pub(crate) fn close(&self) {
        self.is_open.store(false, SeqCst);
        self.is_held.store(false, SeqCst);
    }

    /// This thread is held when it comes by the next time, if the gate is closed.
    pub(crate) fn hold_me(&self) {
        self.wanted.store(this_thread(), SeqCst);
    }

    /// Comes back when a thread is held, since the gate was closed last.
    pub(crate) fn wait_until_held(&self) {
        wait_until(|| self.is_held.load(SeqCst));
    }

    /// Lets all go.
    pub(crate) fn open(&self) {
        self.is_open.store(true, SeqCst);
    }

    pub(super) fn pass(&self) {
        let me = this_thread();
        if self.wanted.load(SeqCst) == me && self.wanted.compare_exchange(me, 0, SeqCst, SeqCst).is_ok() {
            self.is_held.store(true, SeqCst);
            wait_until(|| self.is_open.load(SeqCst));
        }
    }
}
