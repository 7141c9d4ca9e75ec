//! What was really requested and freed at one site, kept by the threads that did it.

use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use allometer_contract::Values;

/// Objects and bytes, allocated so far and live.
#[derive(Debug, Default)]
pub(crate) struct Account {
    allocated: [AtomicI64; 2],
    live: [AtomicI64; 2],
}

impl Account {
    /// A request of `size` bytes was granted.
    pub(crate) fn allocated(&self, size: usize) {
        change(&self.allocated, 1, size);
        change(&self.live, 1, size);
    }

    /// A block of `size` bytes was freed, or resized by a request at another site.
    pub(crate) fn freed(&self, size: usize) {
        change(&self.live, -1, size);
    }

    /// As a profile that is exact shows it, when no thread is at work.
    pub(crate) fn values(&self) -> Values {
        Values::new(load(&self.allocated), load(&self.live))
    }
}

fn change([objects, bytes]: &[AtomicI64; 2], by: i64, size: usize) {
    objects.fetch_add(by, SeqCst);
    bytes.fetch_add(by * size as i64, SeqCst);
}

fn load([objects, bytes]: &[AtomicI64; 2]) -> (i64, i64) {
    (objects.load(SeqCst), bytes.load(SeqCst))
}
