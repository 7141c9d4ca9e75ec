//! Memory from the global allocator, by its four calls.

// unsafe: calls the allocation functions themselves, which collections hide.
#![allow(unsafe_code)]

use std::{
    alloc::{self, Layout},
    hint::black_box,
    mem::ManuallyDrop,
    ptr::NonNull,
};

/// A block from the global allocator, freed when it is dropped.
#[derive(Debug)]
pub struct Block {
    ptr: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory, and the global allocator serves every thread.
unsafe impl Send for Block {}

impl Block {
    /// `size` bytes, at least one, by `alloc`; `None` when the allocator answers null.
    pub fn new(size: usize, align: usize) -> Option<Self> {
        let layout = Self::layout(size, align);
        // SAFETY: the layout is not empty. The black box keeps the call where an unused one could go.
        let ptr = black_box(unsafe { alloc::alloc(layout) });
        Some(Self { ptr: NonNull::new(ptr)?, layout })
    }

    /// `size` bytes, at least one, by `alloc_zeroed`; `None` when the allocator answers null.
    pub fn zeroed(size: usize, align: usize) -> Option<Self> {
        let layout = Self::layout(size, align);
        // SAFETY: the layout is not empty. The black box keeps the call where an unused one could go.
        let ptr = black_box(unsafe { alloc::alloc_zeroed(layout) });
        Some(Self { ptr: NonNull::new(ptr)?, layout })
    }

    /// Another size, at least one, by `realloc`.
    ///
    /// # Errors
    ///
    /// The block as it was, when the allocator answers null.
    pub fn resized(self, size: usize) -> Result<Self, Self> {
        let layout = Self::layout(size, self.layout.align());
        // SAFETY: the block is live and has this layout; the new size is not zero and fits the alignment.
        let ptr = black_box(unsafe { alloc::realloc(self.ptr.as_ptr(), self.layout, size) });
        let Some(ptr) = NonNull::new(ptr) else { return Err(self) };
        // The old block is gone: what was its owner must not free it.
        let _ = ManuallyDrop::new(self);
        Ok(Self { ptr, layout })
    }

    /// Where it is.
    pub fn address(&self) -> usize {
        self.ptr.addr().get()
    }

    /// The pointer that the allocator gave.
    pub fn as_ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// What it was asked for with.
    pub fn layout_of(&self) -> Layout {
        self.layout
    }

    /// Writes `byte` over all of it.
    pub fn fill(&mut self, byte: u8) {
        // SAFETY: the block is live, owned, and as large as its layout says.
        unsafe { self.ptr.as_ptr().write_bytes(byte, self.layout.size()) }
    }

    /// Whether its first `len` bytes are `byte`. The block must have been filled or be zeroed.
    pub fn starts_with(&self, byte: u8, len: usize) -> bool {
        assert!(len <= self.layout.size());
        // SAFETY: the block is live, as large as asserted, and written as the caller promises.
        (0..len).all(|at| unsafe { self.ptr.as_ptr().add(at).read() } == byte)
    }

    fn layout(size: usize, align: usize) -> Layout {
        assert_ne!(size, 0);
        Layout::from_size_align(size, align).expect("a size and a power of two that fit an address space")
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block is live, owned, and has this layout.
        unsafe { alloc::dealloc(self.ptr.as_ptr(), self.layout) }
    }
}
