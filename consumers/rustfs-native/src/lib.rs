//! A program's allocator: mimalloc, whose own sampling is beside the sampler.

use allometer::SamplingAllocator;
use allometer_rustfs::RustfsMimalloc;

#[global_allocator]
static ALLOC: SamplingAllocator<RustfsMimalloc> = SamplingAllocator::new();
