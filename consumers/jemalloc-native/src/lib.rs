//! A program's allocator, and what it tells jemalloc when it starts.

use allometer::{SamplingAllocator, jemalloc::Jemalloc};

#[global_allocator]
static ALLOC: SamplingAllocator<Jemalloc> = SamplingAllocator::new();

/// The interval is four KiB.
#[unsafe(export_name = "_rjem_malloc_conf")]
static CONF: &[u8; 62] = b"prof:true,prof_active:false,prof_accum:true,lg_prof_sample:12\0";
