//! What two programs are compared at.

/// A workload, and what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) name: &'static str,
    /// The program's command line.
    pub(super) words: &'static [&'static str],
}

/// All of them. A run takes about a second of CPU time, so that starting the program does not count.
pub(super) const CASES: &[Case] = &[
    // What a service does whose heap is sampled as usual, at a wider and at a much narrower interval.
    Case::new("alloc-1m-1", &["churn", "100000000", "interval=1048576", "workers=1"]),
    Case::new("alloc-1m-2", &["churn", "50000000", "interval=1048576", "workers=2"]),
    Case::new("alloc-1k-64k", &["churn", "8000000", "interval=1024", "workers=1", "size=65536"]),
    Case::new("live-1m-1", &["churn", "100000000", "interval=1048576", "live=true", "workers=1"]),
    // And what is paid when nothing runs, and at the default interval.
    Case::new("idle", &["churn", "100000000", "workers=1"]),
    Case::new("live-512k-2", &["churn", "50000000", "interval=524288", "live=true", "workers=2"]),
];

impl Case {
    const fn new(name: &'static str, words: &'static [&'static str]) -> Self {
        Self { name, words }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        CASES.iter().copied().find(|case| case.name == name)
    }
}
