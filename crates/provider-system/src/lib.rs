//! The platform's allocator, as std's [`System`](std::alloc::System) reaches it, as a provider of the
//! Allometer heap profiler.
//!
//! ```
//! use allometer_provider::Provider;
//! use allometer_system::System;
//!
//! // On its own it is an ordinary global allocator; `SamplingAllocator<System>` profiles it.
//! #[global_allocator]
//! static ALLOC: System = System;
//!
//! let block = vec![1u8; 64 << 20];
//! assert_eq!(ALLOC.name(), "system");
//! if let Some(allocated) = ALLOC.stats().allocated {
//!     assert!(allocated >= block.len() as u64); // glibc counts; other platforms answer `None`
//! }
//! ```
//!
//! | module | owns |
//! |---|---|
//! | `system` | [`System`], the provider |
//! | `malloc` | what the C library knows beyond `malloc`: usable sizes, sizes of blocks, figures, trimming |

mod malloc;
mod system;

pub use system::System;
