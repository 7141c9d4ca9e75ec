//! mimalloc's own sampling hooks as a source of profiles.

mod description;
mod error;
mod hooks;
mod own_functions;
mod profiler;
mod switch;

pub use error::NativeError;
pub use profiler::NativeProfiler;
pub use switch::NativeSwitch;
