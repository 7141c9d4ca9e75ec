//! The program of `consumers/readers` that serves its own profile.

use std::time::Duration;

use crate::{
    error::Error,
    process,
    targets::serve::{child::Child, client::Client},
    workspace::Workspace,
};

const CONSUMER: &str = "consumers/readers";
/// How long compiling may take, on a slow machine, for the first time.
const BUILD: Duration = Duration::from_secs(20 * 60);

/// It runs, and does what it is told.
pub(super) struct Served {
    pub(super) child: Child,
    pub(super) client: Client,
}

impl Served {
    /// Builds and starts it: `session` is what the variable says, `words` what it offers.
    pub(super) fn start(workspace: &Workspace, session: &str, words: &[&str]) -> Result<Self, Error> {
        let arguments = ["build", "--release", "--locked", "--bin", "served"];
        process::run(&mut workspace.cargo_beside(CONSUMER, &arguments), BUILD)?;
        let program = workspace.target().join("consumers/release/served");
        let mut command = workspace.command(&program.to_string_lossy());
        command.args(words).env("ALLOMETER", session);
        let mut child = Child::start(&mut command)?;
        let client = Client::new(&child.line()?);
        Ok(Self { child, client })
    }

    /// Has it do something.
    pub(super) fn tell(&mut self, line: &str) -> Result<(), Error> {
        match self.child.ask(line)?.as_str() {
            "done" => Ok(()),
            other => Err(self.child.fault(&format!("it answers {other:?} to {line}"))),
        }
    }
}
