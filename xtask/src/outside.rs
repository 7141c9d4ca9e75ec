//! The published crates that the root workspace cannot hold.

/// One of them, which a consumer builds, lints and tests.
#[derive(Debug)]
pub(crate) struct Outside {
    /// Where it is, below the root.
    pub(crate) path: &'static str,
    /// Its name.
    pub(crate) package: &'static str,
    /// The consumer, below the root.
    pub(crate) consumer: &'static str,
    /// The consumer's name.
    pub(crate) consumer_package: &'static str,
}

pub(crate) const OUTSIDE: [Outside; 2] = [
    // It links another mimalloc.
    Outside {
        path: "crates/provider-rustfs",
        package: "allometer-rustfs",
        consumer: "consumers/rustfs",
        consumer_package: "consumer-rustfs",
    },
    // The packages that it brings would be in everybody's lock file.
    Outside {
        path: "crates/profiling-pyroscope",
        package: "allometer-pyroscope",
        consumer: "consumers/pyroscope",
        consumer_package: "consumer-pyroscope",
    },
];

/// The one that the consumer at `member` builds, if it does.
pub(crate) fn built_by(member: &str) -> Option<&'static Outside> {
    OUTSIDE.iter().find(|outside| outside.consumer == member)
}
