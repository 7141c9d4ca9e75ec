//! The sampler of the Allometer heap profiler: what runs while the program runs.
//!
//! Programs use it through the crate `allometer`. A program installs a [`SamplingAllocator`] over its
//! allocator, starts a [`Profiler`], and reads [`Snapshot`]s; the [`Span`] between two of them becomes an
//! [`allometer_profile::Profile`].
//!
//! A sampled allocation goes through the modules in a straight line:
//!
//! | module | owns |
//! |---|---|
//! | `allocator` | the hook: forwards to the provider, charges the thread, and nothing else |
//! | `thread` | the one thread-local: countdown, generator, and whether the thread is inside |
//! | `recorder` | the sampler's state as one value: sessions, and what happens to a request |
//! | `process` | all process-wide state, the one static |
//! | `seat` | who is at work on a session, without a lock |
//! | `record`, `reallocation` | what a sampled request, or its end, changes |
//! | `sampler` | probabilities, weights, variances, intervals: pure functions |
//! | `capture`, `unwinding` | a stack of return addresses, and the ways to one |
//! | `sites` | stacks and their counters, append-only |
//! | `live` | the sampled objects that are not freed yet, and the filter in front of them |
//! | `tables`, `arena`, `os` | the memory of a session, from the operating system |
//! | `sync` | atomics, and what stands in for them where the structures without locks are checked |
//! | `session`, `snapshot`, `span` | start, read, stop |
//! | `source`, `session_switch` | sessions as whoever takes any source of profiles sees them |
//! | `probe` | what a start learns from the hook |
//! | `native` | sessions that a provider tells of requests, which samples for itself |
//! | `tag` | names for what a thread is at work for, and which of them a session tells apart |
//! | `unsampled` | code whose requests are no part of a profile |
//! | `measure`, `scope`, `shared_session`, `fork_lock` | exact counts of a piece of code, for tests |
//! | `word` | the words of the variable `ALLOMETER` |
//! | `giants` | requests above a limit, and the log of them |
//! | `peak`, `histogram` | what a session keeps beside its counters |
//! | `memory` | what the process takes of the machine's memory |
//!
//! The hook never allocates through the global allocator, never waits for a lock, and never unwinds.

// Models have no hook, and no static.
#![cfg_attr(any(loom, shuttle), allow(dead_code, unused_imports))]

#[cfg(not(any(loom, shuttle)))]
mod allocator;
mod arena;
mod capture;
mod config;
mod counter;
mod epoch;
mod error;
#[cfg(not(any(loom, shuttle)))]
mod fork_lock;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod giants;
mod histogram;
mod live;
#[cfg(not(any(loom, shuttle)))]
mod measure;
mod memory;
#[cfg(not(any(loom, shuttle)))]
#[doc(hidden)]
pub mod native;
mod os;
mod peak;
mod probe;
#[cfg(not(any(loom, shuttle)))]
mod process;
mod reallocation;
mod record;
mod recorder;
#[cfg(test)]
mod runs;
mod sampler;
mod scope;
mod seat;
#[cfg(not(any(loom, shuttle)))]
mod session;
#[cfg(not(any(loom, shuttle)))]
mod session_switch;
#[cfg(not(any(loom, shuttle)))]
mod shared_session;
mod sites;
mod snapshot;
#[cfg(not(any(loom, shuttle)))]
mod source;
mod span;
mod stats;
mod sync;
mod tables;
mod tag;
mod thread;
#[cfg(not(any(loom, shuttle)))]
mod unsampled;
mod untracked;
mod unwinding;
mod word;

#[cfg(not(any(loom, shuttle)))]
pub use allocator::SamplingAllocator;
pub use allometer_profile::Symbolization;
pub use allometer_provider::{ConstProvider, Custom, Provider, ProviderStats};
pub use config::Config;
pub use error::Error;
#[cfg(not(any(loom, shuttle)))]
pub use measure::{Budget, Usage, measure_process, measure_thread};
pub use memory::MemoryUse;
#[cfg(not(any(loom, shuttle)))]
pub use session::{Profiler, Reader};
#[cfg(not(any(loom, shuttle)))]
pub use session_switch::SessionSwitch;
pub use sites::SiteId;
pub use snapshot::{LiveSample, Snapshot};
pub use span::{SiteSpan, Span};
pub use stats::{Lost, Stats};
#[cfg(not(any(loom, shuttle)))]
pub use tag::tag;
pub use tag::{Tag, Tagged};
#[cfg(not(any(loom, shuttle)))]
pub use unsampled::unsampled;
pub use unwinding::Unwinding;
pub use word::Word;
