//! Exact counts of one piece of code, for tests.

mod budget;
mod usage;

pub use budget::Budget;
pub use usage::Usage;

use crate::{
    Error, Snapshot,
    process::{self, PROCESS},
    scope::{OpenScope, Scopes},
    thread,
};

/// Runs `code` and counts, exactly, what this thread requests meanwhile; what `code` answers comes with
/// it.
///
/// Requests of other threads are not counted, those of threads that `code` starts neither: use
/// [`measure_process`] for them. What is freed is counted whichever thread frees it. Tests that run at the
/// same time do not disturb each other, so this works under `cargo test` and under `cargo nextest`. A
/// measurement inside another one is counted in the inner one only.
///
/// Measurements share a session of their own, with interval 1; it runs as long as one of them does.
///
/// ```no_run
/// use allometer_core::{Budget, measure_thread};
///
/// let (words, usage) = measure_thread(|| "a b c".split(' ').collect::<Vec<_>>())?;
/// usage.assert_budget(&Budget::default().allocations(1));
/// # Ok::<(), allometer_core::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::NotInstalled`]; [`Error::AlreadyActive`] while a `Profiler` runs;
/// [`Error::TooManyMeasurements`]; [`Error::Overflow`] when the session's tables were too small for what
/// `code` did; [`Error::Memory`].
pub fn measure_thread<T>(code: impl FnOnce() -> T) -> Result<(T, Usage), Error> {
    measure(code, Whose::Thread)
}

/// Runs `code` and counts, exactly, what every thread of the process requests meanwhile.
///
/// Whatever else the process does at the time is counted too. So it needs a process of its own: run the
/// test under `cargo nextest`, alone in its file, or with `--test-threads=1`. Threads that are inside
/// [`measure_thread`] are counted there.
///
/// # Errors
///
/// As for [`measure_thread`]; [`Error::TooManyMeasurements`] when the process is being measured already.
pub fn measure_process<T>(code: impl FnOnce() -> T) -> Result<(T, Usage), Error> {
    measure(code, Whose::Process)
}

/// Whose requests are counted.
#[derive(Clone, Copy)]
enum Whose {
    Thread,
    Process,
}

/// Keeps requests under a scope; lets them go back to where they were, by a panic too.
struct Under<'a> {
    whose: Whose,
    scopes: &'a Scopes,
    before: u32,
}

impl<'a> Under<'a> {
    fn put(whose: Whose, scope: &OpenScope<'a>) -> Result<Self, Error> {
        let scopes = scope.scopes();
        let before = match whose {
            Whose::Thread => thread::with(|thread| thread.set_scope(scope.number())),
            Whose::Process if scopes.set_process(scope.number()) => 0,
            Whose::Process => return Err(Error::TooManyMeasurements { max: 1 }),
        };
        Ok(Self { whose, scopes, before })
    }
}

impl Drop for Under<'_> {
    fn drop(&mut self) {
        match self.whose {
            Whose::Thread => {
                thread::with(|thread| thread.set_scope(self.before));
            }
            Whose::Process => {
                self.scopes.set_process(0);
            }
        }
    }
}

fn measure<T>(code: impl FnOnce() -> T, whose: Whose) -> Result<(T, Usage), Error> {
    let session = PROCESS.shared_session.join(&PROCESS.recorder, process::start)?;
    let tables = session.tables();
    let scope = tables.scopes.open()?;
    let before = Snapshot::take(tables)?;
    let under = Under::put(whose, &scope)?;
    let value = code();
    drop(under);
    let after = Snapshot::take(tables)?;
    if after.losses() != before.losses() {
        return Err(Error::Overflow);
    }
    Ok((value, Usage::new(after, scope.number(), scope.peak())))
}
