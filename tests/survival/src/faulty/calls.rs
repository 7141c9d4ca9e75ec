//! What the allocator was asked last.

use std::{
    alloc::Layout,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

/// The last call, and how many there were. Meant for one thread.
#[derive(Debug)]
pub(crate) struct Calls {
    count: AtomicU64,
    last: [AtomicUsize; 6],
}

/// Which of the four it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Alloc,
    Zeroed,
    Free,
    Resize,
}

/// A call as it arrived, and what it was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) asked: Asked,
    /// The block's address, of a free and of a resize.
    pub(crate) block: usize,
    pub(crate) layout: Layout,
    /// The new size, of a resize.
    pub(crate) size: usize,
    /// The address that was answered.
    pub(crate) answer: usize,
}

impl Call {
    fn words(self) -> [usize; 6] {
        [self.asked as usize, self.block, self.layout.size(), self.layout.align(), self.size, self.answer]
    }
}

impl Calls {
    pub(super) const fn new() -> Self {
        Self { count: AtomicU64::new(0), last: [const { AtomicUsize::new(0) }; 6] }
    }

    pub(super) fn note(&self, asked: Asked, block: *mut u8, layout: Layout, size: usize, answer: *mut u8) {
        let call = Call { asked, block: block.addr(), layout, size, answer: answer.addr() };
        self.count.fetch_add(1, Relaxed);
        self.last.iter().zip(call.words()).for_each(|(word, value)| word.store(value, Relaxed));
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }

    /// Whether this was the last call.
    pub(crate) fn last_was(&self, call: Call) -> bool {
        self.last.iter().zip(call.words()).all(|(word, value)| word.load(Relaxed) == value)
    }
}
