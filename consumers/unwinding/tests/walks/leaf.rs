//! The allocation that is looked for.

use std::{
    alloc::{Layout, alloc},
    hint::black_box,
};

/// A size that nothing else in this program asks for, by which its samples are found.
pub const SIZE: usize = 7001;

/// Allocates [`SIZE`] bytes and keeps them, from one place for all ways.
#[inline(never)]
pub fn keep() {
    // SAFETY: the layout is not empty.
    let block = unsafe { alloc(const { Layout::new::<[u8; SIZE]>() }) };
    assert!(!black_box(block).is_null());
}

/// Something to do after a call, so that the call is not made a jump and its caller stays on the stack.
#[inline(always)]
pub fn stay() {
    black_box(1_u8);
}
