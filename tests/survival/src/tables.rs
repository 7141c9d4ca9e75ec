//! Configurations whose tables are so small that what is rare becomes common.

use allometer_core::Config;

/// Every request is sampled, most stacks find no room, and the live table is full.
pub(crate) fn tiny() -> Config {
    Config::default().sample_interval(1).max_sites(40).max_live_samples(64).max_depth(12)
}

/// The live table is thinned all the time, and its filter grows.
pub(crate) fn thinned() -> Config {
    Config::default().sample_interval(16).max_sites(200).max_live_samples(80).lifetimes(true)
}

/// Every request is sampled, and everything finds room.
pub(crate) fn exact() -> Config {
    Config::default().sample_interval(1).max_live_samples(1 << 20)
}
