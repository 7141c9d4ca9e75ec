// unsafe: memory from the global allocator, by its own calls.
#![allow(unsafe_code)]

use std::{
    alloc::{Layout, alloc, dealloc, realloc},
    ptr::NonNull,
};

/// Memory from the global allocator. Its first word is its length, its last byte a mark.
pub(crate) struct Block(NonNull<usize>);

// SAFETY: the memory belongs to the block alone.
unsafe impl Send for Block {}

const WORD: usize = size_of::<usize>();
const MARK: u8 = 0x5a;

impl Block {
    /// Of at least a word and a byte.
    pub(crate) fn new(length: usize) -> Self {
        let length = length.max(WORD + 1);
        // SAFETY: the layout has a size.
        let memory = NonNull::new(unsafe { alloc(layout(length)) }).expect("memory");
        Self(memory.cast()).marked(length)
    }

    /// With another length, by a reallocation.
    pub(crate) fn resized(self, length: usize) -> Self {
        let (old, length) = (self.check(), length.max(WORD + 1));
        // SAFETY: allocated with this layout; the new length is not zero.
        let memory = unsafe { realloc(self.0.as_ptr().cast(), layout(old), length) };
        let memory = NonNull::new(memory).expect("memory");
        std::mem::forget(self);
        Self(memory.cast()).marked(length)
    }

    fn marked(self, length: usize) -> Self {
        // SAFETY: the first word and the last byte of the memory, which is aligned for a word.
        unsafe {
            self.0.as_ptr().write(length);
            self.0.as_ptr().cast::<u8>().add(length - 1).write(MARK);
        }
        self
    }

    /// The length, after a look at the mark.
    pub(crate) fn check(&self) -> usize {
        // SAFETY: as written by `marked`.
        let (length, mark) = unsafe {
            let length = self.0.as_ptr().read();
            (length, self.0.as_ptr().cast::<u8>().add(length - 1).read())
        };
        assert_eq!(mark, MARK, "somebody wrote into a block of {length} bytes");
        length
    }

    pub(crate) fn into_raw(self) -> *mut usize {
        let memory = self.0.as_ptr();
        std::mem::forget(self);
        memory
    }

    /// # Safety
    ///
    /// Null, or what [`Block::into_raw`] gave, once.
    pub(crate) unsafe fn from_raw(memory: *mut usize) -> Option<Self> {
        NonNull::new(memory).map(Self)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let length = self.check();
        // SAFETY: allocated with this layout, and not used any more.
        unsafe { dealloc(self.0.as_ptr().cast(), layout(length)) };
    }
}

fn layout(length: usize) -> Layout {
    Layout::from_size_align(length, WORD).expect("a layout")
}
