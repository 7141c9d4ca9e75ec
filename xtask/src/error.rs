//! What can go wrong in a chore.

use std::{io, path::PathBuf, process::ExitStatus, time::Duration};

use crate::tool::Tool;

/// Why a chore did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    Usage(String),
    /// A step failed; its error is already printed.
    #[error("a step failed")]
    StepFailed,
    #[error("`{}` is not on the PATH ({} {})", .0.program, .0.how(), .0.package)]
    Missing(Tool),
    #[error("cannot start `{command}`: {source}")]
    Start { command: String, source: io::Error },
    #[error("`{command}` ended with {status}{}", indented(.stderr))]
    Failed { command: String, status: ExitStatus, stderr: String },
    #[error("`{command}` was stopped after {} s", .deadline.as_secs())]
    TimedOut { command: String, deadline: Duration },
    #[error("interrupted")]
    Interrupted,
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is not {what} as it is known here", .path.display())]
    NotUnderstood { path: PathBuf, what: &'static str },
    #[error("{} is no program as it is known here: {source}", .path.display())]
    Object { path: PathBuf, source: object::Error },
    #[error("{} has no function {name}", .path.display())]
    NoFunction { path: PathBuf, name: String },
    #[error("`{command}` does not tell {name}")]
    Silent { command: String, name: String },
    #[error("the programs were compiled in different ways: old {old:?}, new {new:?}")]
    OtherBuild { old: String, new: String },
    #[error("callgrind saw no call of {0}: has it another name, or was it inlined?")]
    NotCalled(String),
    #[error("`{command}` answered with JSON of another form: {source}")]
    Json { command: String, source: serde_json::Error },
    #[error("{} of the graph's rules {} broken:{}", .0.len(), if .0.len() == 1 { "is" } else { "are" }, list(.0))]
    Graph(Vec<String>),
    #[error("the models do not hold:{}", list(.0))]
    Models(Vec<String>),
    #[error("targets that are not met: {}", .0.join(", "))]
    Targets(Vec<String>),
    #[error("fuzz targets that crashed:{}", list(.0))]
    Fuzz(Vec<String>),
    #[error("the sanitizers have something to report:{}", list(.0))]
    Sanitizers(Vec<String>),
    #[error("nobody noticed {0}: the checks themselves do not work")]
    Control(String),
    #[error("the names of the program linked as {shape}: {fault}")]
    Names { shape: &'static str, fault: String },
    #[error("{place}: {fault}")]
    Reader { place: String, fault: String },
}

impl Error {
    /// What a reader does not show, or shows wrongly, and where.
    pub(crate) fn reader(place: &str, fault: impl Into<String>) -> Self {
        Self::Reader { place: place.to_owned(), fault: fault.into() }
    }
}

fn list(faults: &[String]) -> String {
    faults.iter().map(|fault| format!("\n  - {fault}")).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("\n  {line}")).collect()
}
