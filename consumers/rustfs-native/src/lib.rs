//! A program's allocator: mimalloc, whose own sampling is beside the sampler.

use allometer::SamplingAllocator;
use allometer_rustfs::RustfsMimalloc;

/// The allocator, with the sampler in front of it.
#[global_allocator]
pub static ALLOC: SamplingAllocator<RustfsMimalloc> = SamplingAllocator::new();
