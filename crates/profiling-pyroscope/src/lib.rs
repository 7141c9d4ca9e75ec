//! Heap profiles for [Pyroscope]: a [`backend`] for its agent, the crate [`pyroscope`], over any allocator.
//!
//! It stands where that crate's own `jemalloc_backend()` would. The agent asks it for a report each interval, and pushes
//! that: what was allocated since the last one, and what is live, in objects and bytes each.
//!
//! ```no_run
//! use pyroscope::pyroscope::PyroscopeAgentBuilder;
//!
//! # fn main() {}
//! # fn run(reader: impl allometer_profile::Source + 'static) -> Result<(), Box<dyn std::error::Error>> {
//! // `reader` is that of a session: `Profiler::start(Config::default())?.reader()`.
//! let backend = allometer_pyroscope::backend(reader);
//! let builder =
//!     PyroscopeAgentBuilder::new("http://localhost:4040", "shop", 100, "pyroscope-rs", "2.1.5", backend)
//!         .tags(vec![("region", "eu")]);
//! let agent = allometer_pyroscope::build(builder)?.start()?;
//! // … the program works …
//! agent.stop()?.shutdown(); // before the profiler
//! # Ok(())
//! # }
//! ```
//!
//! What arrives at the server, what becomes of a report that does not, and what to know about stopping: see
//! [`docs/pyroscope.md`].
//!
//! | module | owns |
//! |---|---|
//! | `backend` | the reports of a session, as the agent takes them |
//! | `interval` | an agent whose profiles are told to be of an interval |
//!
//! [Pyroscope]: https://grafana.com/oss/pyroscope/
//! [`docs/pyroscope.md`]: https://github.com/allometer/allometer/blob/main/docs/pyroscope.md

mod backend;
mod interval;

pub use backend::backend;
pub use interval::build;
