//! Memory as the operating system gives it, for models: it stays until the execution has ended, so that who uses
//! it when its owner is gone is found out and does no harm.

// unsafe: allocates by hand.
#![allow(unsafe_code)]

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    cell::RefCell,
    ptr::NonNull,
};

/// What stands in for the one of `os`.
#[derive(Debug)]
pub(crate) struct Reservation {
    base: NonNull<u8>,
    bytes: usize,
}

/// A page.
const PAGE: usize = 1 << 12;

thread_local! {
    /// What was reserved in this execution.
    static RESERVED: RefCell<Vec<(NonNull<u8>, Layout)>> = RefCell::default();
}

// SAFETY: all threads of a model are one thread of the system.
unsafe impl Send for Reservation {}
// SAFETY: as above.
unsafe impl Sync for Reservation {}

impl Reservation {
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes.next_multiple_of(PAGE), PAGE).ok()?;
        // SAFETY: the layout has a size.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        RESERVED.with_borrow_mut(|reserved| reserved.push((base, layout)));
        Some(Self { base, bytes: layout.size() })
    }

    pub(crate) fn up_to_multiple(bytes: usize, multiple: usize) -> Option<Self> {
        assert!(multiple <= PAGE);
        Self::new(bytes)
    }

    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Before another execution.
pub(super) fn release_all() {
    for (base, layout) in RESERVED.take() {
        // SAFETY: of `new`, and nobody is left who uses it.
        unsafe { dealloc(base.as_ptr(), layout) };
    }
}
