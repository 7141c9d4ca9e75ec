//! Call paths, chosen by the bits of a number.
//!
//! Each rung of a ladder is two functions, and each calls one of the two of the rung below: which, says a bit.
//! A ladder of `k` rungs has `2^k` paths through `4k` return addresses.

use std::{hint::black_box, marker::PhantomData};

use crate::block::{Block, block};

/// Size of the block that is allocated at the end of a path, in bytes.
pub(crate) const SIZE: usize = 64;

/// A rung, and those below it.
pub(crate) trait Rung {
    /// Rungs from here to the ground.
    const HEIGHT: u64;

    /// One of the rung's functions: goes down to the ground by the bits of `path`, the lowest first, and
    /// answers what is allocated there.
    fn left(path: u64) -> Block;

    /// The other one.
    fn right(path: u64) -> Block;

    /// Enters the rung by the function that the lowest bit of `path` chooses.
    #[inline(always)]
    fn enter(path: u64) -> Block {
        if path & 1 == 0 { Self::left(path >> 1) } else { Self::right(path >> 1) }
    }
}

/// Where a block is allocated.
pub(crate) struct Ground;

/// A rung above `R`.
pub(crate) struct Above<R>(PhantomData<R>);

impl Rung for Ground {
    const HEIGHT: u64 = 0;

    #[inline(always)]
    fn left(_path: u64) -> Block {
        block(SIZE)
    }

    #[inline(always)]
    fn right(_path: u64) -> Block {
        block(SIZE)
    }
}

impl<R: Rung> Rung for Above<R> {
    const HEIGHT: u64 = R::HEIGHT + 1;

    #[inline(never)]
    fn left(path: u64) -> Block {
        let block = R::enter(path);
        // After the call, so that it is none in tail position; different, so that the two are not made one.
        black_box(2 * Self::HEIGHT);
        block
    }

    #[inline(never)]
    fn right(path: u64) -> Block {
        let block = R::enter(path);
        black_box(2 * Self::HEIGHT + 1);
        block
    }
}

type Four<R> = Above<Above<Above<Above<R>>>>;

/// Twenty rungs: about a million paths.
pub(crate) type Twenty = Four<Four<Four<Four<Four<Ground>>>>>;
/// Twenty-four rungs: sixteen million paths.
pub(crate) type TwentyFour = Four<Twenty>;
