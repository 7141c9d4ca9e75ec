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
//! The one module, `jemalloc`, owns [`Jemalloc`], the provider.

mod jemalloc;

pub use jemalloc::Jemalloc;
