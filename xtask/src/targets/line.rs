//! One line that the benches measure, and running those that are asked for.

use std::{num::NonZero, thread};

use crate::{
    beside,
    error::Error,
    targets::{
        bench::{self, Bench, Build},
        peer,
        row::{Row, Verdict},
        table::Table,
    },
    workspace::Workspace,
};

/// One line of a group.
pub(crate) struct Line {
    pub(crate) number: &'static str,
    /// What is asked for.
    pub(crate) target: &'static str,
    pub(crate) needs: Needs,
    /// The one provider that it is measured over; none: all of them.
    pub(crate) over: Option<&'static str>,
    /// Whether `--ci` selects it: it is quick, and repeats.
    pub(crate) ci: bool,
    pub(crate) measure: fn(&Bench) -> Result<Figure, Error>,
}

/// What a line needs, besides the programs as they are shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// The programs that keep frame pointers, too.
    FramePointers,
    /// That nothing else runs meanwhile: it measures time.
    Quiet,
}

/// What a line comes to over one provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Figure {
    pub(crate) verdict: Verdict,
    pub(crate) measured: String,
}

impl Figure {
    /// A figure that is what is asked for, if `met`.
    pub(crate) fn of(met: bool, measured: String) -> Self {
        Self { verdict: Verdict::of(met), measured }
    }

    /// No figure, and why.
    pub(crate) fn not_run(why: &str) -> Self {
        Self { verdict: Verdict::NotRun, measured: why.to_owned() }
    }

    /// Both: the worse verdict, and what each has measured.
    pub(crate) fn and(self, other: Self) -> Self {
        let verdict = if self.verdict == Verdict::Ok { other.verdict } else { self.verdict };
        Self { verdict, measured: format!("{}; {}", self.measured, other.measured) }
    }
}

/// What is asked for on the command line: `[--ci] [--peers] [--over=PROVIDER ..] [LINE ..]`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection {
    ci: bool,
    peers: bool,
    numbers: Vec<String>,
    providers: Vec<String>,
}

impl Selection {
    fn read(arguments: &[String], lines: &[Line], providers: &[String]) -> Result<Self, Error> {
        let mut selection = Self::default();
        for word in arguments {
            if word == "--ci" {
                selection.ci = true;
            } else if word == "--peers" {
                selection.peers = true;
            } else if let Some(provider) = word.strip_prefix("--over=") {
                if !providers.iter().any(|known| known == provider) {
                    let known = providers.join(", ");
                    return Err(Error::Usage(format!("no bench is over {provider:?}: there are {known}")));
                }
                selection.providers.push(provider.to_owned());
            } else if lines.iter().any(|line| line.number == word) {
                selection.numbers.push(word.clone());
            } else if word.starts_with('-') {
                return Err(Error::Usage(format!("no option of the targets is called {word:?}")));
            } else {
                return Err(Error::Usage(format!("no line of the group is called {word:?}")));
            }
        }
        Ok(selection)
    }

    fn has_line(&self, line: &Line) -> bool {
        let all = self.numbers.is_empty();
        (all || self.numbers.iter().any(|number| number == line.number)) && (line.ci || !self.ci)
    }

    fn has_provider(&self, provider: &str) -> bool {
        self.providers.is_empty() || self.providers.iter().any(|known| known == provider)
    }
}

/// What was measured.
pub(crate) struct Tables {
    pub(crate) ours: Table,
    /// The same of other profilers, if that was asked for: to compare with.
    pub(crate) peers: Option<Table>,
}

/// Measures those of `lines` that the arguments select, over the providers that they select.
pub(crate) fn tables(workspace: &Workspace, lines: &[Line], arguments: &[String]) -> Result<Tables, Error> {
    let mut providers = bench::providers(workspace)?;
    let selection = Selection::read(arguments, lines, &providers)?;
    providers.retain(|provider| selection.has_provider(provider));
    let lines: Vec<&Line> = lines.iter().filter(|line| selection.has_line(line)).collect();
    let benches: Vec<Bench> = providers.iter().map(|provider| Bench::over(workspace, provider)).collect();
    let ours = measure(&benches, &lines)?;
    let peers = peer::ALL.iter().filter(|peer| selection.has_provider(peer.provider));
    let benches: Vec<Bench> = peers.map(|peer| Bench::of(workspace, peer)).collect();
    let peers = if selection.peers { Some(measure(&benches, &lines)?) } else { None };
    Ok(Tables { ours, peers })
}

fn measure(benches: &[Bench], lines: &[&Line]) -> Result<Table, Error> {
    for bench in benches {
        bench.build(Build::Shipped)?;
        if lines.iter().any(|line| line.needs == Needs::FramePointers && is_of(line, bench)) {
            bench.build(Build::FramePointers)?;
        }
    }
    let mut rows = beside_each_other(benches, lines)?;
    for (bench, rows) in benches.iter().zip(&mut rows) {
        for line in lines.iter().filter(|line| line.needs == Needs::Quiet && is_of(line, bench)) {
            rows.push(row(bench, line)?);
        }
        rows.sort_by_key(|row| lines.iter().position(|line| line.number == row.number));
    }
    let mut table = Table::default();
    for (bench, rows) in benches.iter().zip(&rows) {
        table.add(bench.name(), rows);
        lines
            .iter()
            .filter(|line| !is_of(line, bench))
            .for_each(|line| table.excuse(bench.name(), line.number));
    }
    Ok(table)
}

/// Whether a line says something of what the bench measures.
fn is_of(line: &Line, bench: &Bench) -> bool {
    match bench.peer() {
        Some(peer) => peer.lines.contains(&line.number),
        None => line.over.is_none_or(|provider| provider == bench.name()),
    }
}

/// The rows of each bench, as many benches at a time as there are processors.
fn beside_each_other(benches: &[Bench], lines: &[&Line]) -> Result<Vec<Vec<Row>>, Error> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    beside::each(processors, benches, |bench| {
        println!("measuring {}", bench.name());
        let lines = lines.iter().filter(|line| line.needs != Needs::Quiet && is_of(line, bench));
        lines.map(|line| row(bench, line)).collect()
    })
}

fn row(bench: &Bench, line: &Line) -> Result<Row, Error> {
    let Figure { verdict, measured } = (line.measure)(bench)?;
    let (number, target) = (line.number.to_owned(), line.target.to_owned());
    Ok(Row { number, target, verdict, measured, same: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(words: &[&str]) -> Result<Selection, String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let line = |number| Line {
            number,
            target: "",
            needs: Needs::Nothing,
            over: None,
            ci: true,
            measure: |_| Ok(Figure::not_run("a test")),
        };
        let providers = ["system".to_owned(), "mimalloc".to_owned()];
        Selection::read(&words, &[line("K1"), line("K12")], &providers).map_err(|error| error.to_string())
    }

    #[test]
    fn everything_is_selected_unless_something_is() {
        let lines = crate::targets::cost::LINES;
        let all = selection(&[]).unwrap();
        assert!(lines.iter().all(|line| all.has_line(line)) && all.has_provider("system"));
        let some = selection(&["K1", "--over=mimalloc"]).unwrap();
        let numbers: Vec<_> =
            lines.iter().filter(|line| some.has_line(line)).map(|line| line.number).collect();
        assert_eq!(numbers, ["K1"]);
        let ci = selection(&["--ci"]).unwrap();
        assert!(lines.iter().any(|line| ci.has_line(line)) && !lines.iter().all(|line| ci.has_line(line)));
        assert!(some.has_provider("mimalloc") && !some.has_provider("system"));
    }

    #[test]
    fn what_does_not_exist_is_named() {
        assert!(selection(&["K99"]).unwrap_err().contains("K99"));
        assert!(selection(&["--over=none"]).unwrap_err().contains("there are system, mimalloc"));
        assert!(selection(&["--fast"]).unwrap_err().contains("--fast"));
    }
}
