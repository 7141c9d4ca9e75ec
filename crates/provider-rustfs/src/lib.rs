//! RustFS's build of mimalloc, of the `rustfs-mimalloc` crate, as a provider of the Allometer heap profiler.
//!
//! ```
//! use allometer_provider::Provider;
//! use allometer_rustfs::RustfsMimalloc;
//!
//! // On its own it is an ordinary global allocator; `SamplingAllocator<RustfsMimalloc>` profiles it.
//! #[global_allocator]
//! static ALLOC: RustfsMimalloc = RustfsMimalloc;
//!
//! let block = vec![1u8; 64 << 20];
//! assert_eq!(ALLOC.name(), "rustfs-mimalloc");
//! assert!(ALLOC.stats().committed >= Some(block.len() as u64));
//! ```
//!
//! With the feature `rustfs-allocator` the crate also gives the sampler over this provider the name that
//! RustFS uses, `SamplingMiMalloc`. What else a program changes that has `rustfs-mimalloc-profiling` is in [`docs/migrating.md`].
//!
//! A program can hold only one crate that links mimalloc: this one, or `allometer-mimalloc` (feature
//! `mimalloc` of `allometer`).
//!
//! | module | owns |
//! |---|---|
//! | `mimalloc` | [`RustfsMimalloc`], the provider |
//! | `native` | mimalloc's own sampling hooks as a source of profiles, behind the feature `native-profiler`: `NativeProfiler` |
//!
//! [`docs/migrating.md`]: https://github.com/allometer/allometer/blob/main/docs/migrating.md

mod mimalloc;
#[cfg(feature = "native-profiler")]
mod native;

pub use mimalloc::RustfsMimalloc;
#[cfg(feature = "native-profiler")]
pub use native::{NativeError, NativeProfiler, NativeSwitch};

/// The sampler over RustFS's mimalloc, under the name that RustFS uses:
/// `SamplingMiMalloc::new()` is a constant.
#[cfg(feature = "rustfs-allocator")]
pub type SamplingMiMalloc = allometer_core::SamplingAllocator<RustfsMimalloc>;
