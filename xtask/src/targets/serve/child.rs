//! A program that runs beside this one.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    process::{Child as Process, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use crate::{error::Error, process};

/// How long a line may take to come: far more than it does.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that runs beside this one, and is stopped when this is dropped.
pub(super) struct Child {
    name: String,
    process: Process,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Child {
    pub(super) fn start(command: &mut Command) -> Result<Self, Error> {
        let name = process::shown(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let failed = |source| Error::Start { command: name.clone(), source };
        let mut process = command.spawn().map_err(failed)?;
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in stdout.map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok)
            {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { name, process, stdin, lines })
    }

    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    /// What it says next.
    pub(super) fn line(&mut self) -> Result<String, Error> {
        self.lines.recv_timeout(PATIENCE).map_err(|_| self.fault("it says nothing"))
    }

    /// What it answers to a line.
    pub(super) fn ask(&mut self, line: &str) -> Result<String, Error> {
        let written = self.stdin.as_mut().map(|stdin| writeln!(stdin, "{line}"));
        match written {
            Some(Ok(())) => self.line(),
            _ => Err(self.fault("it does not listen")),
        }
    }

    pub(super) fn fault(&self, fault: &str) -> Error {
        Error::reader(&self.name, fault)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // One that has ended is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
