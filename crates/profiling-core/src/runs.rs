//! How many runs tests against a map make, each by a seed of its own.

use std::env;

/// Names the number of runs, for more than a few.
const RUNS: &str = "ALLOMETER_RUNS";

/// The seeds of the runs.
pub(crate) fn seeds() -> std::ops::Range<u64> {
    let wanted = env::var(RUNS).ok();
    0..wanted.map_or(50, |wanted| wanted.parse().expect(RUNS))
}
