use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use allometer_views::printable;

/// Why there is no answer. What is shown is a line: the error, and what it comes from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Error {
    /// Something cannot be read.
    #[error("{input}")]
    Read { input: String, source: io::Error },
    /// What was read is no heap profile.
    #[error("{input}")]
    Profile { input: String, source: allometer_profile::Error },
    /// A server was not reached, or did not keep to the protocol.
    #[error("{url}")]
    Request { url: String, source: Box<ureq::Error> },
    /// A server answered with something else than a profile.
    #[error("{url}: status {status}: {line}")]
    Status { url: String, status: u16, line: String },
    /// A URL of another kind than `http://`.
    #[error("{url}: only http:// is read, not https://: fetch it with another program and give it as `-`")]
    Encrypted { url: String },
    /// Something cannot be written.
    #[error("{output}")]
    Write { output: String, source: io::Error },
    /// There is nothing to show.
    #[error("{input}")]
    View { input: String, source: allometer_views::Error },
    /// The heap at its peak is not in the profile.
    #[error("the profile does not say how the heap was at its peak")]
    NoPeak,
    /// A directory without what is looked for.
    #[error("{}: there are no such reports with a profile", .directory.display())]
    NoReports { directory: PathBuf },
    /// Reports that cannot be compared with each other.
    #[error("{}: there are reports of several processes: choose one by {processes}", .directory.display())]
    SeveralProcesses { directory: PathBuf, processes: String },
    /// Between a report and itself nothing has happened.
    #[error("{name}: one report is no range")]
    OneReport { name: String },
    /// The answer cannot be put into JSON.
    #[error("the answer is no JSON")]
    Json(#[from] serde_json::Error),
    /// The terminal cannot be drawn on, or is gone.
    #[cfg(feature = "live")]
    #[error("the terminal")]
    Terminal { source: io::Error },
    /// The thread that reads is no more. It has said why.
    #[cfg(feature = "live")]
    #[error("nothing is read any more")]
    FeedEnded,
    /// What was asked cannot be meant.
    #[error("{0}")]
    Usage(&'static str),
}

impl Error {
    /// Writes the line to standard error, and gives the code to end with.
    pub(crate) fn report(&self) -> ExitCode {
        // Where nobody reads it, nothing is to be done.
        let _ = writeln!(io::stderr(), "allometer: {}", self.line());
        ExitCode::from(if matches!(self, Self::Usage(_)) { 2 } else { 1 })
    }

    /// The error and its causes, without control characters: names and texts in it are those of files and servers.
    pub(crate) fn line(&self) -> String {
        let mut line = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            line.push_str(&format!(": {error}"));
            cause = error.source();
        }
        printable(&line).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_line_with_its_causes() {
        let source = io::Error::other("first\nsecond");
        let error = Error::Read { input: "a\u{1b}[31m".to_owned(), source };
        assert_eq!(error.line(), r"a\u{1b}[31m: first\nsecond");
        let source = allometer_profile::Error::Gzip(io::Error::other("cut"));
        let error = Error::Profile { input: "heap.pb.gz".to_owned(), source };
        assert_eq!(error.line(), "heap.pb.gz: the gzip data cannot be unpacked: cut");
    }
}
