use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::PATIENCE;

pub(crate) const OVER_MIMALLOC: &str = env!("CARGO_BIN_EXE_mimalloc");
pub(crate) const OVER_ITS_OWN: &str = env!("CARGO_BIN_EXE_custom");

/// The ledger in a process of its own. Whatever it is waited for for longer than [`PATIENCE`] fails the test, which
/// kills it.
pub(crate) struct Program {
    child: Child,
    orders: Option<ChildStdin>,
    answers: mpsc::Receiver<String>,
    log: Option<JoinHandle<String>>,
}

impl Program {
    pub(crate) fn start(program: &str, url: &str) -> Self {
        let mut command = Command::new(program);
        // Whatever proxy there is, it is not asked.
        command.arg(url).env("NO_PROXY", "127.0.0.1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, answers) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut stderr = child.stderr.take().unwrap();
        let log = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        Self { orders: child.stdin.take(), answers, log: Some(log), child }
    }

    /// Has it do what the line says, to the end.
    pub(crate) fn order(&mut self, line: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{line}").unwrap();
        assert_eq!(self.answers.recv_timeout(PATIENCE).as_deref(), Ok("done"), "{line}");
    }

    /// Lets it end, and answers what it has written to its log.
    pub(crate) fn end(&mut self) -> String {
        drop(self.orders.take());
        let status = self.wait();
        let log = self.log.take().unwrap().join().unwrap();
        assert!(status.success(), "{status}: {log}");
        log
    }

    fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "the program does not end");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
