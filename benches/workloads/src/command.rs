//! The command line.

use std::{env, process::ExitCode};

use crate::{
    built,
    churn::churn,
    deep::deep,
    dense::dense,
    growth::growth,
    handover::handover,
    leftover::leftover,
    live::live,
    load::load,
    pairs::pairs,
    report::{footprint, packed, report},
    stacks::stacks,
    subject::{Answer, Session, Subject},
    threads::threads,
};

const USAGE: &str = "usage: <workload> <n> [word=value ..]

  pairs, threads, churn, handover, live, dense, growth, deep, load, stacks, leftover, report, packed, footprint, build
  interval=BYTES   in a session that samples so; without it there is none
  live=true        the session follows sampled objects until they are freed
  depth=FRAMES     the session keeps so many frames of a stack
  workers=NUMBER   threads, for churn
  size=BYTES       of the blocks, for churn; without it they are of 16 to 1 039 bytes
  reports=NUMBER   how often, for report
  hold=BYTES       what is held meanwhile, for live and dense
  shift=NUMBER     everything lies elsewhere in memory, for live
  paths=NUMBER     distinct call paths, for deep
  tellings=NUMBER  how often the memory is told, for stacks
  totals=true      prints what the session counted
  deepest=true     prints how many frames the deepest stack has";

/// What the command line says.
#[derive(Debug, Default, PartialEq)]
struct Command {
    workload: String,
    n: u64,
    interval: Option<u64>,
    live: bool,
    depth: Option<usize>,
    workers: u64,
    size: Option<usize>,
    reports: u64,
    hold: u64,
    shift: u64,
    paths: u64,
    tellings: u64,
    totals: bool,
    deepest: bool,
}

/// The program: does what the command line says, with `subject` to profile it.
pub fn run(mut subject: impl Subject) -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some(command) = Command::read(&words) else {
        eprintln!("not understood: {words:?}\n\n{USAGE}");
        return ExitCode::from(2);
    };
    match command.execute(&mut subject) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", command.workload);
            ExitCode::FAILURE
        }
    }
}

impl Command {
    fn read(words: &[String]) -> Option<Self> {
        let [workload, n, rest @ ..] = words else { return None };
        let mut command = Self { workload: workload.clone(), n: n.parse().ok()?, ..Self::default() };
        (command.paths, command.tellings, command.workers) = (1, 1, 1);
        for word in rest {
            let (name, value) = word.split_once('=')?;
            match name {
                "interval" => command.interval = Some(value.parse().ok()?),
                "live" => command.live = value.parse().ok()?,
                "depth" => command.depth = Some(value.parse().ok()?),
                "workers" => command.workers = value.parse().ok()?,
                "size" => command.size = Some(value.parse().ok()?),
                "reports" => command.reports = value.parse().ok()?,
                "hold" => command.hold = value.parse().ok()?,
                "shift" => command.shift = value.parse().ok()?,
                "paths" => command.paths = value.parse().ok()?,
                "tellings" => command.tellings = value.parse().ok().filter(|tellings| *tellings > 0)?,
                "totals" => command.totals = value.parse().ok()?,
                "deepest" => command.deepest = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(command)
    }

    fn session(&self) -> Option<Session> {
        Some(Session { interval: self.interval?, live: self.live, depth: self.depth })
    }

    /// Those that measure memory start the session themselves; the others are in it as a whole.
    fn execute(&self, subject: &mut dyn Subject) -> Answer<()> {
        let session = || self.session().ok_or("needs an interval");
        match self.workload.as_str() {
            "load" => load(self.n, session()?, subject),
            "leftover" => leftover(self.n, session()?, subject),
            "build" => {
                built::print();
                Ok(())
            }
            "stacks" => {
                stacks(self.n, self.tellings, session()?, subject)?;
                self.print_totals(subject)
            }
            _ => {
                if let Some(session) = self.session() {
                    subject.start(session)?;
                }
                self.work(subject)?;
                self.print_totals(subject)
            }
        }
    }

    fn work(&self, subject: &mut dyn Subject) -> Answer<()> {
        match self.workload.as_str() {
            "pairs" => drop(pairs(self.n, 1)),
            "threads" => threads(self.n),
            "churn" => churn(self.n, self.workers, self.size, subject)?,
            "report" => report(self.n, self.reports, subject)?,
            "packed" => packed(self.n, subject)?,
            "footprint" => footprint(self.n, subject)?,
            "handover" => handover(self.n),
            "live" => live(self.n, self.hold, self.shift, || self.print_held(subject))?,
            "dense" => dense(self.n, self.hold),
            "growth" => growth(self.n),
            "deep" => deep(self.n, self.paths),
            _ => return Err("no such workload".into()),
        }
        Ok(())
    }

    fn print_held(&self, subject: &dyn Subject) -> Answer<()> {
        if self.totals {
            println!("held {}", subject.totals()?.live_samples);
        }
        Ok(())
    }

    fn print_totals(&self, subject: &dyn Subject) -> Answer<()> {
        if self.totals {
            let totals = subject.totals()?;
            println!("samples {}\nsites {}", totals.samples, totals.sites);
            println!("live_samples {}", totals.live_samples);
            println!("objects {}\nbytes {}", totals.objects, totals.bytes);
        }
        if self.deepest {
            println!("deepest {}", subject.deepest()?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Command> {
        Command::read(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_are_read() {
        let command = read("live 9 interval=64 live=true hold=1024 totals=true").unwrap();
        assert_eq!(command.session(), Some(Session { interval: 64, live: true, depth: None }));
        assert_eq!((command.n, command.hold, command.paths, command.totals), (9, 1024, 1, true));
        assert_eq!(read("pairs 1").unwrap().session(), None);
    }

    #[test]
    fn words_that_are_not_known_are_refused() {
        for line in [
            "pairs",
            "pairs x",
            "pairs 1 live",
            "pairs 1 live=1",
            "pairs 1 colour=red",
            "stacks 1 tellings=0",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
