//! A process of its own for a check, stopped from outside when it takes too long.

// unsafe: std cannot signal a process group.
#![allow(unsafe_code)]

use std::{
    fs,
    io::Read,
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Runs `command` to its end, or kills it, with all that it started, when `limit` is over; answers what it wrote to
/// stdout.
///
/// # Errors
///
/// What it wrote to stderr, after a line that says how it ended: it could not be started, its status was
/// not success, or it took too long. Then the stacks of all its threads follow, if gdb is at hand.
pub fn output(mut command: Command, limit: Duration) -> Result<String, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = command.process_group(0).spawn();
    let mut child = started.map_err(|error| format!("could not be started: {error}"))?;
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let end = wait(&mut child, limit);
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    end.map(|()| stdout).map_err(|end| format!("{end}\n{stderr}"))
}

/// The stacks of all threads of a process, as gdb tells them; why there are none, where there are none.
#[must_use]
pub fn stacks(process: u32) -> String {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-ex", "set pagination off", "-ex", "thread apply all backtrace 40"]);
    gdb.args(["-p", &process.to_string()]).stdin(Stdio::null());
    match gdb.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            let is_of_stack = |line: &&str| line.starts_with(['#', 'T']);
            let lines: Vec<&str> = text.lines().filter(is_of_stack).collect();
            format!("process {process}:\n{}", lines.join("\n"))
        }
        Err(error) => format!("process {process}: no stacks, since gdb: {error}"),
    }
}

/// Reads a pipe beside the child, so that a full one does not stop it.
fn read(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        // What could be read is shown; that reading broke off says nothing about the child.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    })
}

fn wait(child: &mut Child, limit: Duration) -> Result<(), String> {
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(format!("ended with {status}")),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                let group = members(child.id());
                let stacks: Vec<String> = group.into_iter().map(stacks).collect();
                // SAFETY: signals the group that `output` made of the child, which is not waited for yet, so
                // that nobody else has its number (kill(2)).
                unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
                let _ = child.wait();
                return Err(format!("still running after {limit:?}, killed\n{}", stacks.join("\n")));
            }
            Err(error) => return Err(format!("could not be waited for: {error}")),
        }
    }
}

/// The processes of a group.
fn members(group: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.filter(|process| group_of(*process) == Some(group)).collect()
}

fn group_of(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything; behind it come the state, the parent, the group: proc(5).
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        output(command, limit)
    }

    #[test]
    fn success_failure_and_hang_differ() {
        let long = Duration::from_secs(60);
        assert_eq!(shell("echo said; echo beside >&2", long).as_deref(), Ok("said\n"));
        let failed = shell("echo because >&2; exit 3", long).unwrap_err();
        assert!(failed.contains("exit status: 3") && failed.contains("because"), "{failed}");
        let killed = shell("kill -ABRT $$", long).unwrap_err();
        assert!(killed.contains("signal: 6"), "{killed}");
        let hung = shell("exec sleep 600", Duration::from_millis(50)).unwrap_err();
        assert!(hung.contains("still running after 50ms"), "{hung}");
    }

    #[test]
    fn what_a_hung_process_has_started_ends_with_it() {
        // The pipe stays open as long as the inner one lives, and would be read so long.
        let hung = shell("sleep 600 & wait", Duration::from_millis(50)).unwrap_err();
        assert_eq!(hung.matches("process ").count(), 2, "{hung}");
    }

    #[test]
    fn output_beyond_a_pipe_does_not_stop_it() {
        let text = shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero", Duration::from_secs(60));
        assert_eq!(text.map(|text| text.len()), Ok(1_000_000));
    }
}
