//! A small program with its heap profiled over an allocator of its own: what a user of `Custom` writes.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicU64, Ordering},
};

use allometer::{Config, Custom, Profiler, SamplingAllocator};

/// std's `System`, and a count of the calls that asked it for memory.
struct Counting {
    requests: AtomicU64,
}

// SAFETY: each call is the same call of `System`, which keeps the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.requests.fetch_add(1, Ordering::Relaxed);
        // SAFETY: forwarded from the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<Counting>> =
    SamplingAllocator::with_provider(Custom::new("counting", Counting { requests: AtomicU64::new(0) }));

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let profiler = Profiler::start(Config::default().sample_interval(64 << 10))?;
    let lines: Vec<String> = (0..100_000).map(|number| format!("line {number}")).collect();
    let profile = profiler.snapshot()?.profile();
    println!("{}", allometer::views::top(&profile, 10));
    println!("{} lines, {} requests", lines.len(), ALLOC.provider().get().requests.load(Ordering::Relaxed));
    Ok(())
}
