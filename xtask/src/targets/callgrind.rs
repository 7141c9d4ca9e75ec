//! Counting instructions.

use std::{collections::HashMap, path::Path, process::Command};

use crate::{
    error::Error,
    tool::{Source, Tool},
};

/// Counts instructions.
pub(crate) const VALGRIND: Tool = Tool { program: "valgrind", package: "valgrind", source: Source::Debian };

/// `valgrind`, to count what the program that follows executes, into the file `out`.
pub(crate) fn command(out: &Path) -> Command {
    let mut file = std::ffi::OsString::from("--callgrind-out-file=");
    file.push(out);
    let mut command = Command::new(VALGRIND.program);
    command.arg("--tool=callgrind").arg(file);
    command
}

/// The instructions that a program executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    total: u64,
    /// Of these, in functions written in Rust.
    rust: u64,
    /// Of these, in calls of the allocator from Rust, with all that it called.
    provider: u64,
    /// By function, its own, with what was inlined into it.
    own: HashMap<String, u64>,
    /// By function, in calls of it, with all that it called.
    inside: HashMap<String, u64>,
}

/// The C functions by which Rust reaches an allocator: glibc's, and what those of mimalloc and jemalloc start with.
const GLIBC: [&str; 6] = ["malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc"];
const OTHERS: [&str; 2] = ["mi_", "_rjem_"];

impl Counts {
    /// Reads callgrind's output, of one event: blocks of `fn=`, each with lines of `position own`, and of `cfn=`,
    /// `calls=` and then one line of `position inside`. A name is given once, then its number alone.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut names: HashMap<&str, &str> = HashMap::new();
        let mut counts = Self::default();
        let (mut function, mut called, mut is_call) = ("", "", false);
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                function = name_of(name, &mut names)?;
            } else if let Some(name) = line.strip_prefix("cfn=") {
                called = name_of(name, &mut names)?;
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if let Some(total) = line.strip_prefix("totals: ") {
                counts.total = total.parse().ok()?;
            } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
                // A position without a cost costs nothing.
                let cost = line.split(' ').nth(1).map_or(Some(0), |cost| cost.parse().ok())?;
                if is_call {
                    counts.add_call(function, called, cost);
                } else {
                    *counts.own.entry(function.to_owned()).or_default() += cost;
                    counts.rust += if is_rust(function) { cost } else { 0 };
                }
                is_call = false;
            }
        }
        let own: u64 = counts.own.values().sum();
        (own > 0 && own == counts.total).then_some(counts)
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    fn add_call(&mut self, caller: &str, called: &str, cost: u64) {
        *self.inside.entry(called.to_owned()).or_default() += cost;
        let is_provider = GLIBC.contains(&called) || OTHERS.iter().any(|start| called.starts_with(start));
        if is_rust(caller) && is_provider {
            self.provider += cost;
        }
    }
}

/// The sum over the functions whose path ends so.
fn sum(by_function: &HashMap<String, u64>, path: &str) -> u64 {
    by_function.iter().filter(|(name, _)| name.ends_with(path)).map(|(_, cost)| cost).sum()
}

/// Whether a function was written in Rust: its name is a path.
fn is_rust(function: &str) -> bool {
    function.contains("::")
}

/// The name in `(number) name`, or the one that this number was given.
fn name_of<'a>(text: &'a str, names: &mut HashMap<&'a str, &'a str>) -> Option<&'a str> {
    let (number, name) = text.strip_prefix('(')?.split_once(')')?;
    match name.strip_prefix(' ') {
        Some(name) => {
            names.insert(number, name);
            Some(name)
        }
        None => names.get(number).copied(),
    }
}

/// What a step costs: counts of `steps` and of twice as many.
#[derive(Clone, Debug)]
pub(crate) struct PerStep {
    pub(crate) steps: u64,
    pub(crate) once: Counts,
    pub(crate) twice: Counts,
    pub(crate) of: Of,
}

/// Which instructions can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Those in code that is not the profiler's.
    ItsPlace,
    /// None: the profiler may be anywhere, in the allocator too.
    Everything,
}

impl PerStep {
    fn difference(&self, count: impl Fn(&Counts) -> u64) -> f64 {
        (count(&self.twice) as f64 - count(&self.once) as f64) / self.steps as f64
    }

    /// All instructions.
    pub(crate) fn total(&self) -> f64 {
        self.difference(|counts| counts.total)
    }

    /// Those in functions written in Rust, without the C code that they call: the program and the hook, as long
    /// as nothing is sampled.
    pub(crate) fn in_rust(&self) -> f64 {
        self.difference(|counts| if self.of == Of::Everything { counts.total } else { counts.rust })
    }

    /// All but those in the allocator's own code.
    pub(crate) fn but_the_provider(&self) -> f64 {
        self.difference(
            |counts| if self.of == Of::Everything { counts.total } else { counts.total - counts.provider },
        )
    }

    /// Those in calls of the functions whose path ends so, with all that they called.
    ///
    /// # Errors
    ///
    /// When there were no such calls: the function has another name by now, or was inlined.
    pub(crate) fn inside(&self, path: &str) -> Result<f64, Error> {
        self.of_functions(path, |counts| &counts.inside)
    }

    /// Those of the functions whose path ends so, without what they called.
    ///
    /// # Errors
    ///
    /// When there is no such function.
    pub(crate) fn own(&self, path: &str) -> Result<f64, Error> {
        self.of_functions(path, |counts| &counts.own)
    }

    fn of_functions(&self, path: &str, which: fn(&Counts) -> &HashMap<String, u64>) -> Result<f64, Error> {
        if sum(which(&self.twice), path) == 0 {
            return Err(Error::NotCalled(path.to_owned()));
        }
        Ok(self.difference(|counts| sum(which(counts), path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "version: 1\nevents: Ir\n\nob=(1) /program\nfl=(1) a.rs\nfn=(1) app::main\n\
                          10 5\n+2 3\ncfi=(2) b.rs\ncfn=(2) app::hook\ncalls=2 7\n+1 40\n* 2\n\n\
                          fn=(2)\n7 10\nfi=(1)\n-3 4\ncfn=(3) malloc\ncalls=2 0\n* 26\n\n\
                          fn=(3)\n0 26\n\ntotals: 50\n";

    #[test]
    fn costs_are_told_apart() {
        let counts = Counts::read(OUTPUT).unwrap();
        assert_eq!(counts.total, 50);
        assert_eq!((sum(&counts.own, "::hook"), sum(&counts.inside, "::hook")), (14, 40));
        assert_eq!((counts.rust, counts.provider), (24, 26));
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        assert_eq!(Counts::read(&OUTPUT.replace("totals: 50", "totals: 51")), None);
        assert_eq!(Counts::read("nothing"), None);
    }

    #[test]
    fn a_step_is_the_difference() {
        let once = Counts::read(OUTPUT).unwrap();
        let twice = OUTPUT.replace("10 5\n", "10 25\n").replace("totals: 50", "totals: 70");
        let step = PerStep { steps: 10, once, twice: Counts::read(&twice).unwrap(), of: Of::ItsPlace };
        assert_eq!((step.total(), step.in_rust(), step.but_the_provider()), (2.0, 2.0, 2.0));
        assert_eq!((step.inside("::hook").unwrap(), step.own("::main").unwrap()), (0.0, 2.0));
        assert!(step.inside("::gone").is_err());
    }
}
