//! The group `views`: what people see of a profile in our own programs, as text, on a page, in pictures, as JSON, and how
//! reports come to be there. A line a promise.
//!
//! | module | owns |
//! |---|---|
//! | `suites` | lines that tests of this repository stand for |
//! | `page` | the page, in a browser |
//! | `picture` | the flamegraphs, in a browser |
//! | `schema` | JSON, by another program |
//! | `totals` | totals, by other programs |
//! | `largest` | the largest sites alone, and the rest as one |
//! | `profiles`, `wide` | what is looked at |
//! | `program` | the command line |

mod largest;
mod page;
mod picture;
mod profiles;
mod program;
mod schema;
mod suites;
mod totals;
mod wide;

use crate::{
    targets::{
        promise::Promise,
        scripts::{CHROMIUM, NPM, PYTHON},
    },
    tool::{GO, Source, Tool},
};

const TMUX: Tool = Tool { program: "tmux", package: "tmux", source: Source::Debian };
const ZSH: Tool = Tool { program: "zsh", package: "zsh", source: Source::Debian };
const FISH: Tool = Tool { program: "fish", package: "fish", source: Source::Debian };

/// What its lines in CI cannot do without.
pub(crate) const NEEDED: &[Tool] = &[CHROMIUM, NPM, PYTHON, GO, totals::JEPROF];
/// What the suites of tests do less without, which stand for the other lines.
pub(crate) const OF_TESTS: &[Tool] = &[TMUX, ZSH, FISH];

pub(super) const PROMISES: [Promise; 12] = [
    Promise {
        number: "V1",
        target: "text: top, diff, tree, info, stats, folded, timeline and range answer what is kept; inlined functions \
                 and polls are shown or not",
        needs: &[],
        ci: false,
        look: |workspace| suites::COMMAND_LINE.run(workspace),
    },
    Promise {
        number: "V2",
        target: "the page, from its file and nothing else: totals and losses, search, zoom, sorting, histograms, what changed, \
                 light and dark, ten thousand sites, names as text",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: page::look,
    },
    Promise {
        number: "V3",
        target: "flamegraph and differential flamegraph: search, zoom and colours in a browser",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: picture::look,
    },
    Promise {
        number: "V4",
        target: "JSON is as its schema says, of our profiles, of others', of an empty one; and what is not is noticed",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: schema::look,
    },
    Promise {
        number: "V5",
        target: "the runner: reports on growth, limits, requests, signals and at the end; dead files, full disks, races",
        needs: &[],
        ci: false,
        look: |workspace| suites::RUNNER.run_as_root(workspace),
    },
    Promise {
        number: "V6",
        target: "the environment: what it asks for happens, what it cannot mean is said, also twice and without the allocator; \
                 and it is ignored under AT_SECURE",
        needs: &[],
        ci: false,
        look: |workspace| suites::ENVIRONMENT.run_as_root(workspace),
    },
    Promise {
        number: "V7",
        target: "giant requests: logged with their stacks, refused before the provider is asked, told by the next process \
                 where they ended one",
        needs: &[],
        ci: false,
        look: suites::giants,
    },
    Promise {
        number: "V8",
        target: "a service: its leak is found in its reports, by name and by tenant, and nobody else is blamed",
        needs: &[],
        ci: false,
        look: |workspace| suites::SERVICE.run(workspace),
    },
    Promise {
        number: "V9",
        target: "totals are those of go tool pprof and jeprof, but for what these round",
        needs: &[GO, totals::JEPROF],
        ci: true,
        look: totals::look,
    },
    Promise {
        number: "V10",
        target: "live, in a terminal",
        needs: &[TMUX],
        ci: false,
        look: |workspace| suites::LIVE.run(workspace),
    },
    Promise {
        number: "V11",
        target: "completions that bash, zsh and fish take; a closed pipe is a good end; codes of ends; one line a fault",
        needs: &[ZSH, FISH],
        ci: false,
        look: |workspace| suites::MANNERS.run(workspace),
    },
    Promise {
        number: "V12",
        target: "the largest N sites alone, and the rest as one row that says how many and how much: text, JSON, and \
                 go tool pprof",
        needs: &[GO],
        ci: true,
        look: largest::look,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::promise::tests::{ci_has_what_it_needs, numbers};

    #[test]
    fn ci_has_what_is_no_suite_of_tests() {
        assert_eq!(numbers(&PROMISES, &["--ci"]).unwrap(), ["V2", "V3", "V4", "V9", "V12"]);
        ci_has_what_it_needs(&PROMISES, NEEDED);
    }
}
