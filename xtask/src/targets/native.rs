//! The group `native`: allocators' own profilers as sources of profiles, beside the sampler. A line a promise.
//!
//! | module | owns |
//! |---|---|
//! | `suites` | lines that tests of this repository stand for |
//! | `without_profiler` | an allocator that was built without its profiler |
//! | `costs` | what both cost, side by side |

mod costs;
mod suites;
mod without_profiler;

use crate::targets::promise::Promise;

pub(super) const PROMISES: [Promise; 6] = [
    Promise {
        number: "N1",
        target: "what holds for every source holds for sessions of the sampler, over System, mimalloc, jemalloc and RustFS's mimalloc",
        needs: &[],
        ci: false,
        look: suites::of_the_sampler,
    },
    Promise {
        number: "N2",
        target: "the same for jemalloc's own profiler, but for a named part: life cycle, figures by site, spans, threads, what profiles look like",
        needs: &[],
        ci: false,
        look: |workspace| suites::JEMALLOC.run(workspace),
    },
    Promise {
        number: "N3",
        target: "jemalloc's own profiler and the sampler agree by site within their errors on one run, and each difference is shown",
        needs: &[],
        ci: false,
        look: |workspace| suites::JEMALLOC_DIFFERENCES.run(workspace),
    },
    Promise {
        number: "N4",
        target: "where jemalloc's profiler cannot run, that is an error of one line: off, running already, no temporary directory, an \
                 interval that it has not, and a jemalloc that was built without it",
        needs: &[],
        ci: true,
        look: without_profiler::look,
    },
    Promise {
        number: "N5",
        target: "the endpoints, the runner and the backend for Pyroscope take jemalloc's own profiler as they take a session",
        needs: &[],
        ci: false,
        look: suites::jemalloc_everywhere,
    },
    Promise {
        number: "N6",
        target: "what the sampler and jemalloc's own profiler cost, side by side: shown",
        needs: &[crate::targets::VALGRIND],
        ci: false,
        look: costs::of_jemalloc,
    },
];
