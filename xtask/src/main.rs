//! Chores of this workspace, each a file: `cargo xtask ci`, `graph`, `mappings`, `consumers`, `targets`, `models`,
//! `fuzz`, `sanitizers`, `hook`, `abba`.
//!
//! | module | owns |
//! |---|---|
//! | `ci` | the steps that a change has to pass, in their order |
//! | `step` | one step, and running a list of them |
//! | `graph` | the arrows between the published crates, and the allocators that must not be there |
//! | `outside` | the published crates that the root workspace cannot hold |
//! | `mappings` | one program in every shape, and whether addresses lead to the same names |
//! | `targets` | figures that are measured and held against what is asked for |
//! | `abba` | two programs, compared by their CPU time |
//! | `models` | the models of what has no locks, and the mistakes that they have to see |
//! | `unwinding` | all ways to walk a stack, in three builds |
//! | `statically` | the contract in programs without a loader |
//! | `beside` | work on several things at a time |
//! | `fuzz` | everything that parses, fed with what a fuzzer makes up |
//! | `sanitizers` | the real hook under programs that watch memory |
//! | `workspace` | where things are: the root, the consumers, cargo |
//! | `process` | a child process with a deadline |
//! | `tool` | programs that a step needs and this workspace does not bring |
//! | `executable` | where cargo puts a program |
//! | `pprof` | `go tool pprof` as it is today, built for a step that needs it |
//! | `error` | what can go wrong |

mod abba;
mod beside;
mod ci;
mod error;
mod executable;
mod fuzz;
mod graph;
mod mappings;
mod models;
mod outside;
mod pprof;
mod process;
mod sanitizers;
mod statically;
mod step;
mod targets;
mod tool;
mod unwinding;
mod workspace;

use std::{env, process::ExitCode};

use crate::{error::Error, workspace::Workspace};

const USAGE: &str = "usage: cargo xtask <command>

  ci [STEP..]         everything that a change has to pass, or only the steps whose name starts so
  graph               the arrows of docs/architecture.md, and that no allocator is in the default graph
  mappings            one program, linked and treated in every way: the same names in the process, afterwards, and by go
  consumers [NAME..]  the contract suite over every provider, or over those named
  targets exactness|survival [--full] [--over=CONSUMER ..] [LINE ..]
                      how exact profiles are, and what kills profiled programs, over every provider: all lines, or
                      those named; quickly, or in full
  targets cost|memory [--ci] [--peers] [--over=PROVIDER ..] [LINE ..]
                      what the profiler takes of a program's time and memory: all lines, those that CI holds, or
                      those named; over every provider, or over those named; with --peers of other profilers, too
  targets readers [LINE ..]
                      what people see of profiles of several programs in the programs that they read them with
  targets views [--ci] [LINE ..]
                      what they see in ours: text, page, pictures, JSON, live; and how reports come to be there
  models [--planted]  the models of what has no locks, and larger scenarios; with --planted also the models with each
                      order of memory weakened
  abba OLD NEW [--case NAME ..]
                      compares two programs of the benches by CPU time, in blocks old, new, new, old
  fuzz [--seconds=N] [--keep] [TARGET ..]
                      feeds everything that parses with what a fuzzer makes up, a minute each or so many seconds;
                      with --keep, inputs that reach new code go into fuzz/corpus
  sanitizers          the hook at work under four programs that watch memory
  hook                writes benches/hook.txt anew: what the allocator's four calls consist of";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error @ Error::Usage(_)) => {
            eprintln!("xtask: {error}\n\n{USAGE}");
            ExitCode::from(2)
        }
        // The summary of the steps has said it.
        Err(Error::StepFailed) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Error> {
    process::stop_children_on_interrupt();
    let workspace = Workspace::of_this_program();
    let Some((command, rest)) = arguments.split_first() else {
        return Err(Error::Usage("no command".into()));
    };
    match command.as_str() {
        "abba" => abba::run(&workspace, rest),
        "ci" => step::run_all(&workspace, ci::steps(&workspace, rest)?),
        "consumers" => step::run_all(&workspace, ci::consumers(&workspace, rest)?),
        "fuzz" => fuzz::run(&workspace, rest),
        "graph" => graph::check(&workspace),
        "mappings" => mappings::check(&workspace),
        "models" => models::run(&workspace, rest),
        "sanitizers" => sanitizers::check(&workspace).map(drop),
        "hook" => targets::write_hook(&workspace),
        "targets" => targets::run(&workspace, rest),
        other => Err(Error::Usage(format!("no command is called {other:?}"))),
    }
}
