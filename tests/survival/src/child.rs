//! Forked processes, and how they end.

// unsafe: forks, waits and kills.
#![allow(unsafe_code)]

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
    time::{Duration, Instant},
};

/// How a forked process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    With(i32),
    BySignal(i32),
    /// It did not; it was killed.
    Hung,
}

/// How long a forked process may take: far longer than it needs.
const LIMIT: Duration = Duration::from_secs(30);

/// The status of a process that has panicked.
const PANICKED: i32 = 101;

/// Forks this process, which may have many threads; the child runs `body` and ends with its answer.
pub(crate) fn forked(body: impl FnOnce() -> i32) -> Ended {
    match fork() {
        0 => end_with(body),
        child => wait(child),
    }
}

/// Forks this process, whatever it is doing: in the child too, this answers, with zero.
pub(crate) fn fork() -> libc::pid_t {
    // SAFETY: the child does what these tests are about: more than a child of many threads may rely on (fork(2)).
    let child = unsafe { libc::fork() };
    assert_ne!(child, -1, "no process could be forked");
    child
}

/// Ends a child with what `body` answers.
pub(crate) fn end_with(body: impl FnOnce() -> i32) -> ! {
    let status = catch_unwind(AssertUnwindSafe(body)).unwrap_or(PANICKED);
    // SAFETY: ends this process, without the parent's exit handlers (_exit(2)).
    unsafe { libc::_exit(status) }
}

/// Waits for a child; one that does not end shows its stacks and is killed.
pub(crate) fn wait(child: libc::pid_t) -> Ended {
    let deadline = Instant::now() + LIMIT;
    let mut status = 0;
    loop {
        // SAFETY: a child of this process, and a writable word (waitpid(2)).
        let waited = unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) };
        assert_ne!(waited, -1, "there is no such child");
        if waited != 0 {
            break;
        }
        if Instant::now() > deadline {
            println!("a child hangs: {}", allometer_contract::stacks(child as u32));
            // SAFETY: as above; it has not been waited for.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &raw mut status, 0);
            }
            return Ended::Hung;
        }
        thread::sleep(Duration::from_micros(200));
    }
    if libc::WIFEXITED(status) {
        Ended::With(libc::WEXITSTATUS(status))
    } else {
        Ended::BySignal(libc::WTERMSIG(status))
    }
}
