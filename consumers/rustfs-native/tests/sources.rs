//! What holds for every source, over mimalloc's own sampling.

use allometer::{Config, profile::Switch};
use allometer_contract::Known;
use allometer_rustfs::NativeSwitch;
use consumer_rustfs_native as _;

/// mimalloc looks for a profiler only now and then, on each thread: `differences` shows when, and what a program can do.
const KNOWN: Known = Known {
    bias: 0.0,
    leaves_out: &["threads::a_start_reaches_threads_that_run", "threads::short_ones_are_counted"],
};

fn main() {
    let make =
        || Box::new(NativeSwitch::new(Config::default().sample_interval(4096).seed(7))) as Box<dyn Switch>;
    allometer_contract::run_sources(make, KNOWN);
}
