//! A process of its own for a check, stopped from outside when it takes too long.

use std::{
    io::Read,
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Runs `command` to its end, or kills it when `limit` is over; answers what it wrote to stdout.
///
/// # Errors
///
/// What it wrote to stderr, after a line that says how it ended: it could not be started, its status was
/// not success, or it took too long.
pub fn output(mut command: Command, limit: Duration) -> Result<String, String> {
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| format!("could not be started: {error}"))?;
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let end = wait(&mut child, limit);
    let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
    end.map(|()| stdout).map_err(|end| format!("{end}\n{stderr}"))
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
                // It may have ended in between; then the kill finds nothing, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("still running after {limit:?}, killed"));
            }
            Err(error) => return Err(format!("could not be waited for: {error}")),
        }
    }
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
    fn output_beyond_a_pipe_does_not_stop_it() {
        let text = shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero", Duration::from_secs(60));
        assert_eq!(text.map(|text| text.len()), Ok(1_000_000));
    }
}
