//! jemalloc's own profiler as a source of profiles.

mod config;
mod control;
mod error;
mod moment;
mod profiler;
mod reader;
mod session;
mod switch;

pub use config::JemallocConfig;
pub use error::JemallocError;
pub use profiler::JemallocProfiler;
pub use reader::JemallocReader;
pub use switch::JemallocSwitch;
