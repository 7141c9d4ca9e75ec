//! What programs do while their heap profiler's cost is measured: the same source over each allocator and
//! with each profiler.
//!
//! A program gives itself a global allocator, says by a [`Subject`] how its profiler is started and stopped,
//! and calls [`run`]: the command line says what it does, `<workload> <n> [word=value ..]`. What a workload
//! costs is counted from outside, `(I(2n) - I(n)) / n`, so that everything that is done once falls away; what
//! it can say itself (memory, totals) it prints, a `name value` a line.
//!
//! | module | owns |
//! |---|---|
//! | `subject` | the profiler that a program is measured with |
//! | `command` | the command line |
//! | `random` | numbers that are the same in each run |
//! | `block` | what is allocated |
//! | `pairs` | one free and one allocation, over and over |
//! | `threads` | the same on two threads |
//! | `churn`, `cpu_time` | pairs or blocks of one size, with the CPU time that they take |
//! | `handover` | one thread allocates, another frees |
//! | `live` | pairs, while much memory is held |
//! | `dense` | the same, at addresses that are hard to hash |
//! | `growth` | vectors that grow by pushes |
//! | `ladder` | call paths, chosen by the bits of a number |
//! | `deep` | an allocation at the end of a call path |
//! | `load`, `stacks`, `leftover` | what a session takes of memory: for objects, for stacks, after its end |
//! | `report` | reports, and what they take of memory |
//! | `hook` | the calls of the allocator, to be read in the program |
//! | `resident` | the memory that this process has |
//! | `built` | how this program was compiled |

mod block;
mod built;
mod churn;
mod command;
mod cpu_time;
mod deep;
mod dense;
mod growth;
mod handover;
mod hook;
mod ladder;
mod leftover;
mod live;
mod load;
mod pairs;
mod random;
mod report;
mod resident;
mod stacks;
mod subject;
mod threads;

pub use command::run;
pub use subject::{Answer, Bare, Session, Subject, Totals};
