//! Other profilers, measured on the same work.

/// Another profiler, measured on the same work, to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// Its programs' name.
    pub(crate) name: &'static str,
    /// The directory of its programs.
    pub(crate) directory: &'static str,
    /// The provider, of those that have benches, that it is over, or is a version of.
    pub(crate) provider: &'static str,
    /// Whether it needs no session to sample.
    pub(crate) is_always_on: bool,
    /// The lines that say something of it.
    pub(crate) lines: &'static [&'static str],
}

/// All of them, at the versions that their manifests name.
pub(crate) const ALL: &[Peer] = &[
    Peer {
        name: "rustfs-mimalloc-profiling",
        directory: "rustfs-mimalloc-profiling",
        provider: "rustfs",
        is_always_on: false,
        lines: &["K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "K10"],
    },
    // Its samples are of every 500th allocation, and are in all figures.
    Peer {
        name: "ying-profiler",
        directory: "ying-profiler",
        provider: "system",
        is_always_on: true,
        lines: &["K1", "K7", "K8"],
    },
    Peer {
        name: "ying-profiler-every",
        directory: "ying-profiler",
        provider: "system",
        is_always_on: true,
        lines: &["K9", "K10"],
    },
    // Without frame pointers its stacks are a frame or two.
    Peer {
        name: "mimalloc-pprof",
        directory: "mimalloc-pprof",
        provider: "mimalloc",
        is_always_on: false,
        lines: &["K1", "K2", "K7", "K8", "K9"],
    },
    Peer {
        name: "jemalloc_pprof",
        directory: "jemalloc_pprof",
        provider: "jemalloc",
        is_always_on: false,
        lines: &["K1", "K2", "K3", "K7", "K8", "K9", "K10"],
    },
];
