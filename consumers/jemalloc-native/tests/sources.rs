//! What holds for every source, over jemalloc's own profiler.

use allometer::jemalloc::{JemallocConfig, JemallocSwitch};
use allometer_contract::Known;
use consumer_jemalloc_native as _;

/// Both are shown in `differences`.
const KNOWN: Known = Known {
    // Of objects about as large as the interval.
    bias: 0.03,
    // Threads that follow each other at one address draw the same numbers, so that their errors do not average out.
    leaves_out: &["threads::short_ones_are_counted"],
};

fn main() {
    allometer_contract::run_sources(|| Box::new(JemallocSwitch::new(JemallocConfig::default())), KNOWN);
}
