use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Where the profiles are that others wrote.
pub(crate) fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// A directory of its own for a test, which goes with it.
pub(crate) fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// What the program answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) error: String,
}

impl Answer {
    /// What it wrote, if it ended well and complained of nothing.
    pub(crate) fn text(self) -> String {
        assert_eq!((self.code, &*self.error), (Some(0), ""));
        String::from_utf8(self.out).unwrap()
    }

    /// What it complained of: one line, and nothing on standard output.
    pub(crate) fn complaint(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.out.is_empty(), "{self:?}");
        let line = self.error.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "{line}");
        line.strip_prefix("allometer: ").unwrap().to_owned()
    }
}

/// The program in the directory of the files, with these arguments.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_allometer"));
    command.current_dir(files()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    // What is fetched from this machine goes through no other one.
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(arguments: &[&str]) -> Answer {
    answer(program(arguments).stdin(Stdio::null()).spawn().unwrap())
}

pub(crate) fn run_with_input(arguments: &[&str], input: &[u8]) -> Answer {
    let mut child = program(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // One that does not read all of it is no fault of the test.
    thread::spawn(move || stdin.write_all(&input));
    answer(child)
}

/// How long it may take, by far.
const LONGEST: Duration = Duration::from_secs(120);

pub(crate) fn answer(mut child: Child) -> Answer {
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes).unwrap());
            bytes
        })
    };
    let out = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let error = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let end = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            None => {
                child.kill().unwrap();
                panic!("it did not end");
            }
        }
    };
    let error = String::from_utf8(error.join().unwrap()).unwrap();
    Answer { code: status.code(), out: out.join().unwrap(), error }
}
