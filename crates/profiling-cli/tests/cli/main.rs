//! The program itself, on real files: `tests/files` has profiles that Go, jemalloc and gperftools wrote.
#![allow(clippy::unwrap_used, clippy::panic)]

mod completions;
mod conversions;
mod faults;
mod frames;
mod giant_log;
mod http;
mod inputs;
mod own;
mod reports;
mod run;
mod symbols;
mod views;
