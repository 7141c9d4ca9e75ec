//! Allometer tells a running program where its heap comes from: which call stacks allocated, which still
//! hold memory, and how sure the figures are. It samples over any allocator, so that the same program gives
//! the same profile whichever one it runs on.
//!
//! Install a [`SamplingAllocator`] over the allocator of your choice, start a [`Profiler`], look at what
//! happened between two [`Snapshot`]s:
//!
#![cfg_attr(all(feature = "mimalloc", feature = "views"), doc = "```")]
#![cfg_attr(not(all(feature = "mimalloc", feature = "views")), doc = "```ignore")]
//! use allometer::{Config, Profiler, SamplingAllocator, mimalloc::Mimalloc};
//!
//! #[global_allocator]
//! static ALLOC: SamplingAllocator<Mimalloc> = SamplingAllocator::new();
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let mut profiler = Profiler::start(Config::default())?;
//!     let before = profiler.snapshot()?;
//!     let kept = run_the_program();
//!     let after = profiler.snapshot()?;
//!
//!     let during = after.since(&before)?.profile();
//!     let file = std::env::temp_dir().join("heap.pb.gz");
//!     std::fs::write(&file, during.to_pprof_gzip())?; // opens in `go tool pprof`, Pyroscope, speedscope
//!     println!("{}", allometer::views::top(&during, 20));
//!     profiler.stop(); // idempotent; dropping it does the same
//!
//!     assert!(during.total().live.bytes.value >= kept.len() as f64);
//! #   std::fs::remove_file(file)?;
//!     Ok(())
//! }
//!
//! fn run_the_program() -> Vec<u8> {
//!     vec![1; 64 << 20]
//! }
//! ```
//!
//! # The parts
//!
//! | where | what |
//! |---|---|
//! | here | the sampler and its sessions, of `allometer-core` |
//! | `system`, `mimalloc`, `jemalloc` | the allocators, each behind the feature of its name |
//! | [`Custom`] | any other allocator |
//! | [`tag`] | names for what the program is at work for, so that memory is told apart by it |
//! | `tracing` | the same from spans of the crate `tracing`, behind the feature of its name |
//! | [`profile`] | profiles: what they hold, symbols, pprof in and out |
//! | `runner` | reports that the program writes by itself, into a directory, behind the feature of its name |
//! | `http` | endpoints for profiles and a live page, behind the feature of its name; `axum` adds a router, `server` a server |
//! | `views` | tables, folded stacks and flamegraphs, behind a feature that is on by default; JSON and HTML behind `json` and `html` |
//!
//! With default features no allocator is among the dependencies.
//!
//! The feature `rustfs-allocator` adds the name that RustFS uses, `SamplingMiMalloc`, for the sampler over
//! the `mimalloc` crate; its profiles name that allocator, `mimalloc`. The package `allometer-rustfs` has
//! the same name over RustFS's own build. Programs that have `rustfs-mimalloc-profiling`, `ying-profiler` or `jemalloc_pprof` find what
//! becomes of each of their names in [`docs/migrating.md`].
//!
//! With `jemalloc-native-profiler`, `jemalloc` also has that allocator's own profiler, as a [`Source`](profile::Source) in place of
//! a session of the sampler.
//!
//! The package `allometer-pyroscope` is a backend for Pyroscope's agent, over a [`Reader`].
//!
//! [`docs/migrating.md`]: https://github.com/allometer/allometer/blob/main/docs/migrating.md

pub use allometer_core::{
    Budget, Config, ConstProvider, Custom, Error, LiveSample, Lost, MemoryUse, Profiler, Provider,
    ProviderStats, Reader, SamplingAllocator, SessionSwitch, SiteId, SiteSpan, Snapshot, Span, Stats,
    Symbolization, Tag, Tagged, Unwinding, Usage, Word, measure_process, measure_thread, tag, unsampled,
};
pub use allometer_profile as profile;

#[cfg(feature = "http")]
pub use allometer_http as http;
#[cfg(feature = "jemalloc")]
pub use allometer_jemalloc as jemalloc;
#[cfg(feature = "mimalloc")]
pub use allometer_mimalloc as mimalloc;
#[cfg(feature = "runner")]
pub use allometer_runner as runner;
#[cfg(feature = "runner")]
pub use allometer_runner::init;
#[cfg(feature = "system")]
pub use allometer_system as system;
#[cfg(feature = "tracing")]
pub use allometer_tracing as tracing;
#[cfg(feature = "views")]
pub use allometer_views as views;

/// The sampler over the `mimalloc` crate, under the name that RustFS uses.
///
/// `SamplingMiMalloc::new()` is a constant. The provider's name in profiles is `mimalloc`.
///
/// ```
/// use allometer::SamplingMiMalloc;
///
/// #[global_allocator]
/// static ALLOC: SamplingMiMalloc = SamplingMiMalloc::new();
///
/// assert_eq!(allometer::Provider::name(ALLOC.provider()), "mimalloc");
/// ```
#[cfg(feature = "rustfs-allocator")]
pub type SamplingMiMalloc = SamplingAllocator<allometer_mimalloc::Mimalloc>;
