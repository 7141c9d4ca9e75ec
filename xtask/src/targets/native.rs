//! The group `native`: allocators' own profilers as sources of profiles, beside the sampler. A line a promise.
//!
//! | module | owns |
//! |---|---|
//! | `suites` | lines that tests of this repository stand for |
//! | `without_profiler` | an allocator that was built without its profiler |
//! | `costs` | what both cost, side by side |
//! | `mimalloc` | programs over RustFS's mimalloc, compiled in several ways |
//! | `instructions` | counting a program's instructions |
//! | `hooks`, `idle`, `refused` | what its hooks do and cost, and where they cannot be used |

mod costs;
mod hooks;
mod idle;
mod instructions;
mod mimalloc;
mod refused;
mod suites;
mod without_profiler;

use crate::targets::promise::Promise;

pub(super) const PROMISES: [Promise; 13] = [
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
    Promise {
        number: "N7",
        target: "what mimalloc's hooks do by themselves: the table of docs/native.md, as the C code comes and where it looks at each request",
        needs: &[],
        ci: false,
        look: hooks::look,
    },
    Promise {
        number: "N8",
        target: "mimalloc's hooks, where nothing uses them: ≤ 0.25 % of a real program's instructions, as the C code comes",
        needs: &[crate::targets::VALGRIND],
        ci: false,
        look: idle::look,
    },
    Promise {
        number: "N9",
        target: "what holds for every source holds for sessions whose requests mimalloc finds, but for threads that it does not see yet",
        needs: &[],
        ci: false,
        look: |workspace| suites::MIMALLOC.run(workspace),
    },
    Promise {
        number: "N10",
        target: "such sessions are right by site within their errors, exact at interval 1, count nothing twice, leave nothing behind, and each difference is shown",
        needs: &[],
        ci: false,
        look: |workspace| suites::MIMALLOC_DIFFERENCES.run(workspace),
    },
    Promise {
        number: "N11",
        target: "N9 and N10 hold where mimalloc puts guards behind blocks, as often as there are samples",
        needs: &[],
        ci: false,
        look: suites::mimalloc_guarded,
    },
    Promise {
        number: "N12",
        target: "where mimalloc's hooks cannot be used, that is an error of one line: as its C code comes, without hooks, and in use",
        needs: &[],
        ci: false,
        look: refused::look,
    },
    Promise {
        number: "N13",
        target: "what the sampler and mimalloc's hooks cost, side by side: shown",
        needs: &[crate::targets::VALGRIND],
        ci: false,
        look: costs::of_mimalloc,
    },
];
