//! The group `views`: what people see of a profile in our own programs, as text, on a page, in pictures, as JSON, and how
//! reports come to be there. A line a promise.
//!
//! | module | owns |
//! |---|---|
//! | `suite`, `suites` | lines that tests of this repository stand for |
//! | `page` | the page, in a browser |
//! | `picture` | the flamegraphs, in a browser |
//! | `schema` | JSON, by another program |
//! | `totals` | totals, by other programs |
//! | `largest` | the largest sites alone, and the rest as one |
//! | `looked` | what a script found |
//! | `profiles`, `wide` | what is looked at |
//! | `program` | the command line |

mod largest;
mod looked;
mod page;
mod picture;
mod profiles;
mod program;
mod schema;
mod suite;
mod suites;
mod totals;
mod wide;

use std::time::Instant;

use crate::{
    error::Error,
    targets::{
        line::Figure,
        row::{Row, Verdict},
        scripts::{CHROMIUM, NPM, PYTHON},
        table::Table,
    },
    tool::{GO, Source, Tool},
    workspace::Workspace,
};

const TMUX: Tool = Tool { program: "tmux", package: "tmux", source: Source::Debian };
const ZSH: Tool = Tool { program: "zsh", package: "zsh", source: Source::Debian };
const FISH: Tool = Tool { program: "fish", package: "fish", source: Source::Debian };

/// What its lines in CI cannot do without.
pub(crate) const NEEDED: &[Tool] = &[CHROMIUM, NPM, PYTHON, GO, totals::JEPROF];
/// What the suites of tests do less without, which stand for the other lines.
pub(crate) const OF_TESTS: &[Tool] = &[TMUX, ZSH, FISH];

/// By which name its rows are told.
const OURS: &str = "allometer";

/// A promise, and how it is looked at.
struct Line {
    number: &'static str,
    target: &'static str,
    needs: &'static [Tool],
    /// Whether `--ci` selects it: it is no suite of tests that another step of CI runs.
    ci: bool,
    look: fn(&Workspace) -> Result<Figure, Error>,
}

const LINES: [Line; 12] = [
    Line {
        number: "V1",
        target: "text: top, diff, tree, info, stats, folded, timeline and range answer what is kept; inlined functions \
                 and polls are shown or not",
        needs: &[],
        ci: false,
        look: |workspace| suites::COMMAND_LINE.run(workspace),
    },
    Line {
        number: "V2",
        target: "the page, from its file and nothing else: totals and losses, search, zoom, sorting, histograms, what changed, \
                 light and dark, ten thousand sites, names as text",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: page::look,
    },
    Line {
        number: "V3",
        target: "flamegraph and differential flamegraph: search, zoom and colours in a browser",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: picture::look,
    },
    Line {
        number: "V4",
        target: "JSON is as its schema says, of our profiles, of others', of an empty one; and what is not is noticed",
        needs: &[CHROMIUM, NPM, PYTHON],
        ci: true,
        look: schema::look,
    },
    Line {
        number: "V5",
        target: "the runner: reports on growth, limits, requests, signals and at the end; dead files, full disks, races",
        needs: &[],
        ci: false,
        look: |workspace| suites::RUNNER.run_as_root(workspace),
    },
    Line {
        number: "V6",
        target: "the environment: what it asks for happens, what it cannot mean is said, also twice and without the allocator; \
                 and it is ignored under AT_SECURE",
        needs: &[],
        ci: false,
        look: |workspace| suites::ENVIRONMENT.run_as_root(workspace),
    },
    Line {
        number: "V7",
        target: "giant requests: logged with their stacks, refused before the provider is asked, told by the next process \
                 where they ended one",
        needs: &[],
        ci: false,
        look: suites::giants,
    },
    Line {
        number: "V8",
        target: "a service: its leak is found in its reports, by name and by tenant, and nobody else is blamed",
        needs: &[],
        ci: false,
        look: |workspace| suites::SERVICE.run(workspace),
    },
    Line {
        number: "V9",
        target: "totals are those of go tool pprof and jeprof, but for what these round",
        needs: &[GO, totals::JEPROF],
        ci: true,
        look: totals::look,
    },
    Line {
        number: "V10",
        target: "live, in a terminal",
        needs: &[TMUX],
        ci: false,
        look: |workspace| suites::LIVE.run(workspace),
    },
    Line {
        number: "V11",
        target: "completions that bash, zsh and fish take; a closed pipe is a good end; codes of ends; one line a fault",
        needs: &[ZSH, FISH],
        ci: false,
        look: |workspace| suites::MANNERS.run(workspace),
    },
    Line {
        number: "V12",
        target: "the largest N sites alone, and the rest as one row that says how many and how much: text, JSON, and \
                 go tool pprof",
        needs: &[GO],
        ci: true,
        look: largest::look,
    },
];

/// What is asked for on the command line: `[--ci] [LINE ..]`.
#[derive(Debug, PartialEq, Eq)]
struct Selection<'a> {
    ci: bool,
    numbers: Vec<&'a str>,
}

impl<'a> Selection<'a> {
    fn read(arguments: &'a [String]) -> Result<Self, Error> {
        let mut selection = Self { ci: false, numbers: Vec::new() };
        for word in arguments {
            match word.as_str() {
                "--ci" => selection.ci = true,
                number if LINES.iter().any(|line| line.number == number) => selection.numbers.push(number),
                unknown => {
                    return Err(Error::Usage(format!("no line of the group is called {unknown:?}")));
                }
            }
        }
        Ok(selection)
    }

    fn has(&self, line: &Line) -> bool {
        (self.numbers.is_empty() || self.numbers.contains(&line.number)) && (line.ci || !self.ci)
    }
}

/// Looks at all lines, or at those that the arguments name.
pub(super) fn table(workspace: &Workspace, arguments: &[String]) -> Result<Table, Error> {
    let selection = Selection::read(arguments)?;
    let mut rows = Vec::new();
    for line in LINES.iter().filter(|line| selection.has(line)) {
        let started = Instant::now();
        rows.push(line.row(workspace)?);
        println!("{}: {:.1} s", line.number, started.elapsed().as_secs_f64());
    }
    let mut table = Table::default();
    table.add(OURS, &rows);
    Ok(table)
}

impl Line {
    fn row(&self, workspace: &Workspace) -> Result<Row, Error> {
        let Figure { verdict, measured } = match self.missing()? {
            Some(tool) => Figure::not_run(&Error::Missing(tool).to_string()),
            None => match (self.look)(workspace) {
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => Figure { verdict: Verdict::Short, measured: error.to_string() },
                Ok(figure) => figure,
            },
        };
        let (number, target) = (self.number.to_owned(), self.target.to_owned());
        Ok(Row { number, target, verdict, measured, same: String::new() })
    }

    /// The first program that it needs and that is not to be had.
    fn missing(&self) -> Result<Option<Tool>, Error> {
        for &tool in self.needs {
            if !tool.ensure()? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(arguments: &[&str]) -> Result<Vec<&'static str>, Error> {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let selection = Selection::read(&arguments)?;
        Ok(LINES.iter().filter(|line| selection.has(line)).map(|line| line.number).collect())
    }

    #[test]
    fn ci_has_what_is_no_suite_of_tests() {
        assert_eq!(numbers(&[]).unwrap().len(), LINES.len());
        assert_eq!(numbers(&["--ci"]).unwrap(), ["V2", "V3", "V4", "V9", "V12"]);
        assert_eq!(numbers(&["V1", "V2"]).unwrap(), ["V1", "V2"]);
        assert_eq!(numbers(&["V1", "V2", "--ci"]).unwrap(), ["V2"]);
        assert!(matches!(numbers(&["V13"]), Err(Error::Usage(_))));
    }

    #[test]
    fn ci_needs_what_its_lines_need() {
        let programs = |tools: &[Tool]| tools.iter().map(|tool| tool.program).collect::<Vec<_>>();
        for line in LINES.iter().filter(|line| line.ci) {
            let needed = programs(NEEDED);
            assert!(programs(line.needs).iter().all(|program| needed.contains(program)), "{}", line.number);
        }
    }
}
