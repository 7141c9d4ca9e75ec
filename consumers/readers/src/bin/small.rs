//! The smallest profiles: of a session that saw nothing, or with a second argument `one`, of one that saw one
//! allocation.

use std::{env, hint::black_box};

use allometer::{Config, Profiler, SamplingAllocator, system::System};
use consumer_readers::{Answer, path, write};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

fn main() -> Answer<()> {
    let path = path()?;
    let wants_one = env::args().nth(2).is_some_and(|word| word == "one");
    let profiler = Profiler::start(Config::default().sample_interval(1))?;
    let page = if wants_one { allocate() } else { None };
    let profile = profiler.snapshot()?.profile();
    drop(black_box(page));
    Ok(write(&profile, &path)?)
}

#[inline(never)]
fn allocate() -> Option<Box<[u8; 4096]>> {
    Some(black_box(Box::new([1; 4096])))
}
