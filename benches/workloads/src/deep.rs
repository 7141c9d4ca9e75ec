//! An allocation at the end of a call path.

use crate::{
    block::free,
    ladder::{Rung, Twenty},
    random::spread,
};

/// `n` times goes down one of `paths` paths of 20 calls, in turn, allocates a block there and frees it.
///
/// Paths differ from the first call on. One path takes always the same side.
#[inline(never)]
pub(crate) fn deep(n: u64, paths: u64) {
    for number in 0..n {
        let path = if paths > 1 { spread(number % paths) } else { 0 };
        free(Twenty::enter(path));
    }
}
