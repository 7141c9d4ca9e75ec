//! The group `serve`: what a program answers about itself over HTTP, to programs and to people. A line a promise.
//!
//! | module | owns |
//! |---|---|
//! | `suites` | lines that tests of this repository stand for |
//! | `page` | the page, in a browser |
//! | `pprof`, `metrics` | `go tool pprof` and Prometheus' parser, which ask the running server |
//! | `scrape` | scrapers that take differences |
//! | `overload`, `slowdown` | more clients than can be served, and what the program's own have of that |
//! | `served`, `shop` | the programs that are looked at |
//! | `child`, `client`, `taken` | running one, asking it, and what it takes of the machine |

mod child;
mod client;
mod metrics;
mod overload;
mod page;
mod pprof;
mod scrape;
mod served;
mod shop;
mod slowdown;
mod suites;
mod taken;

use std::time::Duration;

use crate::{
    targets::{
        promise::Promise,
        scripts::{CHROMIUM, NPM, PYTHON},
    },
    tool::{GO, Tool},
};

/// What its lines in CI cannot do without.
pub(crate) const NEEDED: &[Tool] = &[CHROMIUM, NPM, PYTHON, GO];

/// How long a program that asks may take.
const DEADLINE: Duration = Duration::from_secs(2 * 60);

pub(super) const PROMISES: [Promise; 10] = [
    Promise {
        number: "H1",
        target: "who is refused, one test a rule: addresses, tokens, hosts, origins, methods, parameters, paths, a second profile, \
                 waits, headers, silence, bodies, connections, answers nobody reads",
        needs: &[],
        ci: false,
        look: |workspace| suites::REFUSALS.run(workspace),
    },
    Promise {
        number: "H2",
        target: "what is answered: cumulative for any number of scrapers, spans whose live heap is no difference, every form, \
                 symbols, figures, sessions, moments, a Unix socket, a forked child; and the same through axum",
        needs: &[],
        ci: false,
        look: suites::answers,
    },
    Promise {
        number: "H3",
        target: "the page of a service that leaks: moving chart with error band, two moments and what grew, flamegraph, table, tags, \
                 lifetimes, by mouse and by keyboard, light and dark",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: page::shop,
    },
    Promise {
        number: "H4",
        target: "the page at ten thousand sites, with a token, losses, names that are markup, start, stop and interval",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: page::wide,
    },
    Promise {
        number: "H5",
        target: "go tool pprof asks the running server: heap, allocs, text with symbols, seconds, base, the token as a password, \
                 a bare address",
        needs: &[GO],
        ci: true,
        look: pprof::look,
    },
    Promise {
        number: "H6",
        target: "two scrapers that take differences, and a third client with seconds: rates are those of the program",
        needs: &[],
        ci: true,
        look: scrape::look,
    },
    Promise {
        number: "H7",
        target: "metrics are what Prometheus' own parser reads, and the same as stats",
        needs: &[NPM, PYTHON],
        ci: true,
        look: metrics::look,
    },
    Promise {
        number: "H8",
        target: "100 clients at once, slow readers, half-open connections: limits hold, memory stays bounded, and then all is as before",
        needs: &[],
        ci: true,
        look: overload::look,
    },
    Promise {
        number: "H9",
        target: "the program's own requests under that load, against without (shown, does not gate)",
        needs: &[],
        ci: false,
        look: slowdown::look,
    },
    Promise {
        number: "H10",
        target: "Pyroscope's own agent pushes: payload, labels, password, tenant; 401, 429, 500, closed, slow and absent servers: \
                 the program is not held up, and no interval is counted twice",
        needs: &[],
        ci: false,
        look: |workspace| suites::PYROSCOPE.run(workspace),
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::promise::tests::{ci_has_what_it_needs, numbers};

    #[test]
    fn ci_has_what_is_no_suite_of_tests() {
        assert_eq!(numbers(&PROMISES, &["--ci"]).unwrap(), ["H3", "H4", "H5", "H6", "H7", "H8"]);
        ci_has_what_it_needs(&PROMISES, NEEDED);
    }
}
