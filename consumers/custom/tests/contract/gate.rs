//! Holds one thread inside the allocator until it is let go.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// Where one thread is held, every so many requests that it makes.
pub struct Gate {
    /// The thread; zero: nobody.
    thread: AtomicUsize,
    requests: AtomicUsize,
    every: AtomicUsize,
    holds: AtomicUsize,
    is_held: AtomicBool,
    goes_on: AtomicBool,
}

thread_local! {
    /// Its address tells a thread from others.
    static OWN: u8 = const { 0 };
}

fn this_thread() -> usize {
    OWN.with(|own| std::ptr::from_ref(own).addr())
}

impl Gate {
    pub const fn new() -> Self {
        Self {
            thread: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            every: AtomicUsize::new(1),
            holds: AtomicUsize::new(0),
            is_held: AtomicBool::new(false),
            goes_on: AtomicBool::new(false),
        }
    }

    /// Holds this thread at every `every`-th request while `body` runs; answers how often that was, too.
    pub fn hold_here<T>(&self, every: usize, body: impl FnOnce() -> T) -> (T, usize) {
        self.every.store(every, SeqCst);
        self.requests.store(0, SeqCst);
        self.holds.store(0, SeqCst);
        self.thread.store(this_thread(), SeqCst);
        let answer = body();
        self.thread.store(0, SeqCst);
        (answer, self.holds.load(SeqCst))
    }

    /// For the allocator, at each request.
    pub fn pass(&self) {
        if self.thread.load(SeqCst) != this_thread() {
            return;
        }
        let request = self.requests.fetch_add(1, SeqCst) + 1;
        if request.is_multiple_of(self.every.load(SeqCst)) {
            self.holds.fetch_add(1, SeqCst);
            self.is_held.store(true, SeqCst);
            while !self.goes_on.swap(false, SeqCst) {
                std::thread::yield_now();
            }
        }
    }

    pub fn is_held(&self) -> bool {
        self.is_held.load(SeqCst)
    }

    /// Lets the held thread go on.
    pub fn let_go(&self) {
        self.is_held.store(false, SeqCst);
        self.goes_on.store(true, SeqCst);
    }
}
