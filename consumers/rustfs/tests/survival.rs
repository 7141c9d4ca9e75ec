//! The group `survival` over RustFS's mimalloc.

use allometer_rustfs::SamplingMiMalloc;

#[global_allocator]
static ALLOC: SamplingMiMalloc = SamplingMiMalloc::new();

fn main() {
    allometer_survival::run(&ALLOC);
}
