//! mimalloc, of the `mimalloc` crate, as a provider of the Allometer heap profiler.
//!
//! ```
//! use allometer_mimalloc::Mimalloc;
//! use allometer_provider::Provider;
//!
//! // On its own it is an ordinary global allocator; `SamplingAllocator<Mimalloc>` profiles it.
//! #[global_allocator]
//! static ALLOC: Mimalloc = Mimalloc;
//!
//! let block = vec![1u8; 64 << 20];
//! assert_eq!(ALLOC.name(), "mimalloc");
//! assert!(ALLOC.stats().committed >= Some(block.len() as u64));
//! ```
//!
//! The one module, `mimalloc`, owns [`Mimalloc`], the provider.

mod mimalloc;

pub use mimalloc::Mimalloc;
