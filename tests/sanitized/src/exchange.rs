// unsafe: blocks are handed over as pointers.
#![allow(unsafe_code)]

use std::{
    ptr,
    sync::atomic::{AtomicPtr, Ordering::AcqRel},
};

use crate::block::Block;

/// Places where threads leave blocks for each other.
pub(crate) struct Exchange([AtomicPtr<usize>; PLACES]);

const PLACES: usize = 64;

impl Exchange {
    pub(crate) const fn new() -> Self {
        Self([const { AtomicPtr::new(ptr::null_mut()) }; PLACES])
    }

    /// Leaves a block, and takes the one that was there.
    pub(crate) fn swap(&self, place: usize, block: Block) -> Option<Block> {
        self.put(place, block.into_raw())
    }

    /// Takes the block of a place.
    pub(crate) fn take(&self, place: usize) -> Option<Block> {
        self.put(place, ptr::null_mut())
    }

    pub(crate) fn clear(&self) {
        (0..PLACES).for_each(|place| drop(self.take(place)));
    }

    fn put(&self, place: usize, block: *mut usize) -> Option<Block> {
        let before = self.0[place % PLACES].swap(block, AcqRel);
        // SAFETY: only blocks are put here, and whoever takes one out is the only one.
        unsafe { Block::from_raw(before) }
    }
}
