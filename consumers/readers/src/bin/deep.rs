//! One recursion, deeper than a stack is kept: what the deepest level holds has no root, and must say so.

use std::hint::black_box;

use allometer::{Config, Profiler, SamplingAllocator, system::System};
use consumer_readers::{Answer, path, write};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// More than the bound on a stack, which is 128 unless a session is told otherwise.
const LEVELS: usize = 300;
/// Its stack still reaches `main`.
const NEAR: usize = LEVELS - 20;
const NEAR_BYTES: usize = 256 << 10;
const DEEPEST_BYTES: usize = 1 << 20;

fn main() -> Answer<()> {
    let path = path()?;
    let profiler = Profiler::start(Config::default().sample_interval(1))?;
    let mut kept = Vec::with_capacity(2);
    descend(LEVELS, &mut kept);
    let profile = profiler.snapshot()?.profile();
    drop(black_box(kept));
    Ok(write(&profile, &path)?)
}

#[inline(never)]
fn descend(left: usize, kept: &mut Vec<Vec<u8>>) {
    match left {
        NEAR => kept.push(hold(NEAR_BYTES)),
        0 => return kept.push(hold(DEEPEST_BYTES)),
        _ => {}
    }
    descend(left - 1, kept);
    // So that it is no loop.
    black_box(left);
}

#[inline(never)]
fn hold(bytes: usize) -> Vec<u8> {
    vec![1; bytes]
}
