//! A program with the allocator itself, whose wrapper is there but not installed.

use allometer::{Config, Error, Profiler};
use allometer_rustfs::{RustfsMimalloc, SamplingMiMalloc};

#[global_allocator]
static GLOBAL: RustfsMimalloc = RustfsMimalloc;

#[test]
fn a_start_says_so() {
    let _beside = SamplingMiMalloc::default();
    assert_eq!(Profiler::start(Config::default()).unwrap_err(), Error::NotInstalled);
}
