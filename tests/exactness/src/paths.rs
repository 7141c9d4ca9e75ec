//! As many different stacks as a line needs, of two functions.

use std::hint::black_box;

use allometer_contract::Block;

/// A block of `size` bytes from a stack of its own for each `path`: its highest bit marks its end, each bit
/// below is a turn.
pub(crate) fn follow(path: usize, size: usize) -> Block {
    match path {
        0 | 1 => Block::new(size, 8).unwrap(),
        _ if path & 1 == 0 => left(path >> 1, size),
        _ => right(path >> 1, size),
    }
}

#[inline(never)]
fn left(path: usize, size: usize) -> Block {
    // Something of its own, or the compiler would make one function of both.
    black_box("left");
    // Not the last thing that it does, or its frame would be gone by then.
    black_box(follow(path, size))
}

#[inline(never)]
fn right(path: usize, size: usize) -> Block {
    black_box("right");
    black_box(follow(path, size))
}
