use std::io::{self, Read};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

/// How long something takes until it is worth a line.
const LONG: Duration = Duration::from_millis(500);
/// How often the line moves.
const TICK: Duration = Duration::from_millis(100);

/// A source of bytes that says how much it has read once it takes long, if standard error is a terminal.
pub(crate) struct Watched<R> {
    source: R,
    name: String,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl<R> Watched<R> {
    pub(crate) fn new(source: R, name: String) -> Self {
        Self { source, name, started: Instant::now(), bar: None }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        if self.bar.is_none() && self.started.elapsed() > LONG {
            self.bar = Some(bar(format!("reading {}", self.name)));
        }
        Ok(read)
    }
}

impl<R> Drop for Watched<R> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Does something that can take long.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let bar = bar(what.to_owned());
    let answer = work();
    bar.finish_and_clear();
    answer
}

/// A line that moves by itself, and is not there unless standard error is a terminal.
fn bar(what: String) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_message(what);
    bar.set_style(indicatif::ProgressStyle::default_spinner());
    bar.enable_steady_tick(TICK);
    bar
}
