use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long it may take until something can be seen, by far.
const LONGEST: Duration = Duration::from_secs(30);

/// `allometer` in a terminal of tmux, whose server and files go with it.
pub(crate) struct Terminal {
    directory: TempDir,
}

impl Terminal {
    /// Starts it with these variables, each as `NAME=value`. Once it has ended, the terminal shows with which code, and how
    /// it was left. `None` where there is no tmux; in CI that is a failure, so that what nobody tried does not look like
    /// what passed.
    pub(crate) fn start(width: u16, height: u16, variables: &[&str], arguments: &[&str]) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            let is_ci = env::var("CI").is_ok_and(|value| value == "true" || value == "1");
            assert!(!is_ci, "tmux is not installed");
            eprintln!("not tested: tmux is not installed");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let pid = directory.path().join("pid");
        // The words are not cut again: none has a blank or a quote.
        let words = [variables, &[super::ALLOMETER], arguments].concat().join(" ");
        let script = format!(
            "echo before; sh -c 'echo $$ > {}; exec env {words}'; echo ended with $?; stty -a; exec cat",
            pid.display()
        );
        let terminal = Self { directory };
        let size = [width.to_string(), height.to_string()];
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1], &script]);
        Some(terminal)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-S"]).arg(self.directory.path().join("socket")).args(arguments);
        command.env("LC_ALL", "C.UTF-8").env_remove("TMUX").env_remove("NO_COLOR");
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(name);
        }
        command
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub(crate) fn screen_with_colours(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
    }

    /// Presses keys, as tmux calls them.
    pub(crate) fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    pub(crate) fn resize(&self, width: u16, height: u16) {
        self.tmux(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
    }

    fn pid(&self) -> String {
        fs::read_to_string(self.directory.path().join("pid")).unwrap().trim().to_owned()
    }

    /// Sends a signal to the program.
    pub(crate) fn kill(&self, signal: &str) {
        let status = Command::new("kill").args(["-s", signal, &self.pid()]).status().unwrap();
        assert!(status.success());
    }

    /// Takes the terminal away, as when its window is closed, and waits until the program has gone.
    pub(crate) fn close(self) {
        let program = PathBuf::from("/proc").join(self.pid());
        assert!(program.exists());
        self.tmux(&["kill-server"]);
        let end = Instant::now() + LONGEST;
        while program.exists() {
            assert!(Instant::now() < end, "it goes on without its terminal");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The screen, once it has this text.
    pub(crate) fn see(&self, text: &str) -> String {
        self.see_where(text, |screen| screen.contains(text))
    }

    /// The screen, once it is as it should be.
    pub(crate) fn see_where(&self, what: &str, is_right: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + LONGEST;
        loop {
            let screen = self.screen();
            if is_right(&screen) {
                return screen;
            }
            assert!(Instant::now() < end, "{what} was not to be seen:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asserts that the terminal is as it was before the program: its old screen, and keys as lines that it echoes.
    pub(crate) fn is_restored(&self) {
        let screen = self.see(" icanon");
        assert!(screen.starts_with("before\n"), "{screen}");
        assert!(screen.contains(" echo ") && !screen.contains("q quit"), "{screen}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Of one that was closed there is none.
        let _ = self.command(&["kill-server"]).output();
    }
}
