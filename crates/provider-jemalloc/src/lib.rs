//! jemalloc, of the `tikv-jemallocator` crate, as a provider of the Allometer heap profiler.
//!
//! ```
//! use allometer_jemalloc::Jemalloc;
//! use allometer_provider::Provider;
//!
//! // On its own it is an ordinary global allocator; `SamplingAllocator<Jemalloc>` profiles it.
//! #[global_allocator]
//! static ALLOC: Jemalloc = Jemalloc;
//!
//! let block = vec![1u8; 64 << 20];
//! assert_eq!(ALLOC.name(), "jemalloc");
//! assert!(ALLOC.stats().allocated >= Some(block.len() as u64));
//! ```
//!
//! | module | owns |
//! |---|---|
//! | `jemalloc` | [`Jemalloc`], the provider |
//! | `native` | jemalloc's own profiler as a source of profiles, behind the feature `native-profiler`: `JemallocProfiler` |

mod jemalloc;
#[cfg(feature = "native-profiler")]
mod native;

pub use jemalloc::Jemalloc;
#[cfg(feature = "native-profiler")]
pub use native::{JemallocConfig, JemallocError, JemallocProfiler, JemallocReader, JemallocSwitch};
