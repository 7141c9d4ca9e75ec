//! An allocator that a signal may interrupt anywhere, that refuses when it is told, remembers what it was asked, and
//! holds a thread.

// unsafe: implements `GlobalAlloc`.
#![allow(unsafe_code)]

mod calls;
mod gate;
mod memory;
mod refusal;

use std::{
    alloc::{GlobalAlloc, Layout},
    ptr,
};

use calls::Calls;
pub(crate) use calls::{Asked, Call};
use gate::Gate;
use memory::Memory;
use refusal::Refusal;

/// Memory without locks, and faults on demand.
#[derive(Debug)]
pub struct Faulty {
    memory: Memory,
    /// Which requests are answered with null.
    pub(crate) refusal: Refusal,
    pub(crate) calls: Calls,
    /// Where a thread can be held, in a resize.
    pub(crate) gate: Gate,
}

impl Faulty {
    /// One without a fault.
    #[must_use]
    pub const fn new() -> Self {
        Self { memory: Memory::new(), refusal: Refusal::new(), calls: Calls::new(), gate: Gate::new() }
    }

    fn take(&self, layout: Layout) -> *mut u8 {
        if self.refusal.refuses() { ptr::null_mut() } else { self.memory.take(layout) }
    }
}

impl Default for Faulty {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: blocks come from `Memory`, which gives each to one caller at a time, as large and as aligned as asked for.
unsafe impl GlobalAlloc for Faulty {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = self.take(layout);
        self.calls.note(Asked::Alloc, ptr::null_mut(), layout, 0, block);
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let block = self.take(layout);
        if !block.is_null() {
            // SAFETY: a block of at least this size, which is nobody else's.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        self.calls.note(Asked::Zeroed, ptr::null_mut(), layout, 0, block);
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.calls.note(Asked::Free, block, layout, 0, ptr::null_mut());
        // SAFETY: forwarded from the caller.
        unsafe { self.memory.give_back(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.gate.pass();
        let new = match Layout::from_size_align(size, layout.align()) {
            Err(_) => ptr::null_mut(),
            Ok(_) if self.refusal.refuses() => ptr::null_mut(),
            // SAFETY: forwarded from the caller.
            Ok(new) => unsafe { self.memory.resize(block, layout, new) },
        };
        self.calls.note(Asked::Resize, block, layout, size, new);
        new
    }
}
