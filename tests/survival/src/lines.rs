//! All lines, in their order.

use crate::{
    line::Line, s01_forks, s02_signals, s03_refusals, s04_threads, s05_destructors, s06_sessions,
    s07_libraries, s08_surroundings, s09_calls, s13_cpu_profiler,
};

/// All lines, in their order.
pub(crate) const ALL: &[Line] = &[
    s01_forks::LINE,
    s02_signals::LINE,
    s03_refusals::LINE,
    s04_threads::LINE,
    s05_destructors::LINE,
    s06_sessions::LINE,
    s07_libraries::LINE,
    s08_surroundings::LINE,
    s09_calls::LINE,
    s13_cpu_profiler::LINE,
];
