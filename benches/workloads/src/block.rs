//! What is allocated.

use std::mem::MaybeUninit;

/// A block of memory that nobody writes to.
pub(crate) type Block = Box<[MaybeUninit<u8>]>;

/// A block of `size` bytes.
///
/// Not inlined, as [`free`] is not: in a loop with everything inlined, registers are given out differently with
/// and without a profiler, which costs or saves instructions that are not the profiler's (five a pair were seen).
#[inline(never)]
pub(crate) fn block(size: usize) -> Block {
    Box::new_uninit_slice(size)
}

/// Frees a block.
#[inline(never)]
pub(crate) fn free(block: Block) {
    drop(block);
}
