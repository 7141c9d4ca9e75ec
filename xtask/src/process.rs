//! A child process with a deadline: at the deadline it and all that it started are stopped.

// unsafe: std can neither signal a process group, nor notice an interrupt, nor tell a child's CPU time.
#![allow(unsafe_code)]

use std::{
    io::{self, Read},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use crate::error::Error;

/// How often a running child is looked at.
const POLL: Duration = Duration::from_millis(20);
/// How long a child may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(10);

/// Whether somebody asked this program to end. Children have process groups of their own, which a
/// terminal's interrupt does not reach, so they have to be stopped from here.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a child said.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// From now on an interrupt ends the running child before this program.
pub(crate) fn stop_children_on_interrupt() {
    extern "C" fn note(_signal: libc::c_int) {
        INTERRUPTED.store(true, Relaxed);
    }
    let handler = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler only stores to an atomic, which signal-safety(7) allows.
        unsafe { libc::signal(signal, handler) };
    }
}

/// Runs `command` with this program's own output, and asks for success.
pub(crate) fn run(command: &mut Command, deadline: Duration) -> Result<(), Error> {
    command.stdin(Stdio::null());
    let name = shown(command);
    println!("$ {name}");
    let mut child = start(command, &name)?;
    let status = wait(&mut child, &name, deadline)?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::Failed { command: name, status, stderr: String::new() })
    }
}

/// Runs `command`, asks for success, and answers what it wrote to its standard output.
pub(crate) fn read(command: &mut Command, deadline: Duration) -> Result<String, Error> {
    let output = output(command, deadline)?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(Error::Failed { command: shown(command), status: output.status, stderr: output.stderr })
    }
}

/// Runs `command` and answers what it wrote and how it ended.
pub(crate) fn output(command: &mut Command, deadline: Duration) -> Result<Output, Error> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let name = shown(command);
    let mut child = start(command, &name)?;
    let stdout = child.stdout.take();
    let stderr = child.stderr.take();
    // Both are read while the child runs, or it would wait for room in the pipe.
    thread::scope(|scope| {
        let stdout = scope.spawn(|| text(stdout));
        let stderr = scope.spawn(|| text(stderr));
        let status = wait(&mut child, &name, deadline)?;
        let read = |source| Error::Start { command: name.clone(), source };
        let stdout = stdout.join().unwrap_or_else(|_| Ok(String::new())).map_err(read)?;
        let stderr = stderr.join().unwrap_or_else(|_| Ok(String::new())).map_err(read)?;
        Ok(Output { status, stdout, stderr })
    })
}

/// Runs `command`, asks for success, and answers its CPU time in seconds, the kernel's part included. No other child
/// may end meanwhile.
pub(crate) fn cpu_seconds(command: &mut Command, deadline: Duration) -> Result<f64, Error> {
    let before = ended_children_seconds();
    read(command, deadline)?;
    Ok(ended_children_seconds() - before)
}

fn ended_children_seconds() -> f64 {
    // SAFETY: a usage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: getrusage(2) fills what it is given; it does not fail for this first argument.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

fn text(pipe: Option<impl Read>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The command line as somebody would type it, without its environment.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn start(command: &mut Command, name: &str) -> Result<Child, Error> {
    command.process_group(0).spawn().map_err(|source| Error::Start { command: name.to_owned(), source })
}

fn wait(child: &mut Child, name: &str, deadline: Duration) -> Result<ExitStatus, Error> {
    let started = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|source| Error::Start { command: name.to_owned(), source })?;
        if let Some(status) = ended {
            return Ok(status);
        }
        if INTERRUPTED.load(Relaxed) {
            stop(child);
            return Err(Error::Interrupted);
        }
        if started.elapsed() >= deadline {
            stop(child);
            return Err(Error::TimedOut { command: name.to_owned(), deadline });
        }
        thread::sleep(POLL);
    }
}

/// Ends `child` and its process group: first by asking, since a test runner has children in groups of
/// their own that only it can end.
fn stop(child: &mut Child) {
    signal_group(child, libc::SIGTERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(POLL);
    }
    signal_group(child, libc::SIGKILL);
    // It is gone or about to be; how it ended is of no interest.
    let _ = child.wait();
}

fn signal_group(child: &Child, signal: libc::c_int) {
    let Ok(group) = libc::pid_t::try_from(child.id()) else { return };
    // SAFETY: killpg(3) takes no pointer. The group is the child's own, made by `start`; once it is
    // empty the call answers ESRCH, which is what is wanted.
    unsafe { libc::killpg(group, signal) };
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_streams_and_the_status_come_back() {
        let output = output(&mut sh("echo out; echo err >&2; exit 3"), LONG).unwrap();
        assert_eq!(output.stdout, "out\n");
        assert_eq!(output.stderr, "err\n");
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn more_than_a_pipe_holds_comes_back() {
        let text = read(&mut sh("head -c 300000 /dev/zero"), LONG).unwrap();
        assert_eq!(text.len(), 300_000);
    }

    #[test]
    fn a_failure_carries_what_was_said() {
        let error = read(&mut sh("echo no such thing >&2; false"), LONG).unwrap_err();
        assert!(error.to_string().contains("no such thing"), "{error}");
    }

    #[test]
    fn a_child_that_hangs_is_stopped_with_its_own_children() {
        let mark = std::env::temp_dir().join(format!("xtask-survivor-{}", std::process::id()));
        let _ = std::fs::remove_file(&mark);
        // The grandchild holds the pipe: were it left running, reading would end after it left its mark.
        let script = format!("(sleep 2; : > '{}') & wait", mark.display());
        let error = output(&mut sh(&script), Duration::from_millis(100)).err().unwrap();
        assert!(matches!(error, Error::TimedOut { .. }), "{error}");
        assert!(!mark.exists());
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let error = read(&mut Command::new("no-such-program-here"), LONG).unwrap_err();
        assert!(error.to_string().contains("no-such-program-here"), "{error}");
    }
}
