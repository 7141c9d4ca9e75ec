//! The group `readers`: profiles of several programs, given to the programs that people read them with, and what a
//! person sees there held against what is in them. [docs/readers.md] has what each of them shows.
//!
//! | module | owns |
//! |---|---|
//! | `demo`, `programs`, `rewritten`, `many` | the profiles, and what is known of their programs |
//! | `subject` | one of them |
//! | `stage` | all of them, and what the scripts saw |
//! | `terminal`, `pages`, `spoilt` | the lines |
//! | `script` | readers that a script looks at, in a browser for most |
//! | `pprof`, `table`, `population` | `go tool pprof` in a terminal |
//! | `answer`, `shown` | what a reader shows |
//! | `expected` | what it has to show |
//! | `names` | which functions may be there |
//!
//! [docs/readers.md]: https://github.com/allometer/allometer/blob/main/docs/readers.md

mod answer;
mod demo;
mod expected;
mod many;
mod names;
mod pages;
mod population;
pub(super) mod pprof;
mod programs;
mod rewritten;
mod script;
pub(super) mod shown;
mod spoilt;
mod stage;
mod subject;
pub(super) mod table;
mod terminal;

use self::{script::Script, stage::Stage, subject::Subject};
use crate::{
    error::Error,
    targets::{
        row::{Row, Verdict},
        scripts::{CHROMIUM, NPM, PYTHON},
        table::Table,
    },
    tool::{GO, Source, Tool},
    workspace::Workspace,
};

/// Draws the graph of `go tool pprof -http`.
const GRAPHVIZ: Tool = Tool { program: "dot", package: "graphviz", source: Source::Debian };

/// What the group cannot do without.
pub(crate) const NEEDED: &[Tool] = &[GO, GRAPHVIZ, CHROMIUM, NPM, PYTHON];

/// In the place of a program, for what was spoilt on purpose.
const SPOILT: &str = "spoilt";

/// A line, and what a reader has to show of a profile: none where it is not about that one.
struct Line {
    number: &'static str,
    target: &'static str,
    /// Readers that it needs, besides `go tool pprof` in a terminal.
    scripts: &'static [Script],
    look: fn(&Stage<'_>, &Subject) -> Result<Option<String>, Error>,
}

const LINES: [Line; 13] = [
    Line {
        number: "R1",
        target: "go tool pprof -top: live bytes first; the total, each function's figure, provider and interval are \
                 those of the profile",
        scripts: &[],
        look: terminal::top,
    },
    Line {
        number: "R2",
        target: "at each level of debug information: nothing of the profiler, and what allocates most is the program's",
        scripts: &[],
        look: terminal::own_names,
    },
    Line {
        number: "R3",
        target: "go tool pprof -lines, -list: the program's places with file and line, the line that allocates with \
                 its figure",
        scripts: &[],
        look: terminal::lines,
    },
    Line {
        number: "R4",
        target: "go tool pprof -traces, -tree: functions in the order of their calls: async ones as they await, Rust \
                 through C through Rust, `[truncated]` at the root of what is too deep",
        scripts: &[],
        look: terminal::order,
    },
    Line {
        number: "R5",
        target: "go tool pprof -base: what grew, and nothing against itself",
        scripts: &[],
        look: terminal::base,
    },
    Line {
        number: "R6",
        target: "go tool pprof -http: graph, table, flamegraph, source in a browser",
        scripts: &[Script::GoWeb],
        look: pages::web,
    },
    Line {
        number: "R7",
        target: "speedscope: flamechart and table, live bytes, by the outermost function of a chain; with expand_inlines \
                 by all",
        scripts: &[Script::Speedscope],
        look: |stage, subject| stage.shows(Script::Speedscope, subject),
    },
    Line {
        number: "R8",
        target: "react-pprof: flamegraph, allocated bytes, by the innermost function of a chain; with expand_inlines by \
                 all",
        scripts: &[Script::ReactPprof],
        look: |stage, subject| stage.shows(Script::ReactPprof, subject),
    },
    Line {
        number: "R9",
        target: "flameshow: live bytes first, the total, names",
        scripts: &[Script::Flameshow],
        look: |stage, subject| stage.shows(Script::Flameshow, subject),
    },
    Line {
        number: "R10",
        target: "pprof-format and go tool pprof -raw decode the same figures as we; all is as the format has it",
        scripts: &[Script::PprofFormat],
        look: pages::decoded,
    },
    Line {
        number: "R11",
        target: "an empty session, one sample, 100 000 samples: readers show just that",
        scripts: &Script::ALL,
        look: pages::extremes,
    },
    Line {
        number: "R12",
        target: "each reader is seen to fail on a profile that is wrong",
        scripts: &Script::ALL,
        // Not about one profile: below.
        look: |_, _| Ok(None),
    },
    Line {
        number: "R13",
        target: "fold_async: a request's stack begins with the program's async functions, in the order in which they \
                 await each other, and nothing stands between them",
        scripts: &[],
        look: rewritten::folded,
    },
];
/// The line that is about what was spoilt.
const CONTROLS: &str = "R12";

/// Measures the group: all lines, or those that the arguments name.
pub(super) fn table(workspace: &Workspace, arguments: &[String]) -> Result<Table, Error> {
    if let Some(unknown) = arguments.iter().find(|word| LINES.iter().all(|line| line.number != **word)) {
        return Err(Error::Usage(format!("no line of the group is called {unknown:?}")));
    }
    let is_asked = |line: &&Line| arguments.is_empty() || arguments.iter().any(|word| word == line.number);
    let lines: Vec<&Line> = LINES.iter().filter(is_asked).collect();
    let is_needed = |script: &Script| lines.iter().any(|line| line.scripts.contains(script));
    let stage = Stage::set(workspace, Script::ALL.into_iter().filter(is_needed).collect())?;

    let mut table = Table::default();
    for subject in &stage.subjects {
        let rows = lines.iter().map(|line| line.row((line.look)(&stage, subject)));
        table.add(&subject.name, &rows.collect::<Vec<Row>>());
    }
    if let Some(line) = lines.iter().find(|line| line.number == CONTROLS) {
        table.add_beside(SPOILT, &[line.row(spoilt::check(&stage).map(Some))]);
    }
    Ok(table)
}

impl Line {
    fn row(&self, seen: Result<Option<String>, Error>) -> Row {
        let (verdict, measured) = match seen {
            Ok(Some(measured)) => (Verdict::Ok, measured),
            Ok(None) => (Verdict::Elsewhere, String::new()),
            Err(error) => (Verdict::Short, error.to_string()),
        };
        let (number, target) = (self.number.to_owned(), self.target.to_owned());
        Row { number, target, verdict, measured, same: String::new() }
    }
}
