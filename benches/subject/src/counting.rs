//! An allocator that counts what is allocated.

// unsafe: implements `GlobalAlloc`.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// `A`, with the bytes counted that are allocated.
#[derive(Debug)]
pub struct Counting<A> {
    allocator: A,
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl<A> Counting<A> {
    /// Nothing is allocated yet.
    pub const fn new(allocator: A) -> Self {
        Self { allocator, now: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// Bytes that are allocated now, and that were at most since this was last asked.
    pub fn allocated(&self) -> (u64, u64) {
        let now = self.now.load(Relaxed);
        (now as u64, self.peak.swap(now, Relaxed) as u64)
    }

    fn came(&self, bytes: usize) {
        let now = self.now.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(now, Relaxed);
    }
}

// SAFETY: every call is the same call of the allocator, which keeps the contract.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.came(layout.size());
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.came(layout.size());
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there for a moment, as where the block is moved.
        self.came(size);
        // SAFETY: forwarded from the caller.
        let new = unsafe { self.allocator.realloc(block, layout, size) };
        self.now.fetch_sub(if new.is_null() { size } else { layout.size() }, Relaxed);
        new
    }
}
