//! All process-wide state, as one value: the only static of this crate.

use crate::{
    Config, Error, os,
    probe::Installed,
    recorder::{Recorder, Teller},
    seat::Hold,
    shared_session::SharedSession,
    sync::{AtomicBool, Ordering::SeqCst},
    thread,
};

/// The one static.
pub(crate) static PROCESS: Process = Process {
    recorder: Recorder::new(),
    shared_session: SharedSession::new(),
    handles_forks: AtomicBool::new(false),
};

/// What a process has one of.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) recorder: Recorder,
    /// What measurements share; no hook touches it.
    pub(crate) shared_session: SharedSession,
    handles_forks: AtomicBool,
}

extern "C" fn forget_in_child() {
    PROCESS.recorder.forget();
    PROCESS.shared_session.forget();
}

/// Starts a session in this process, and finds out whether the hook is there. The answer is the session's
/// number and its owner's hold, for [`Recorder::stop`].
///
/// # Errors
///
/// Those of [`Recorder::start`], and [`Error::NotInstalled`].
pub(crate) fn start(config: &Config) -> Result<(u64, Hold<'static>), Error> {
    PROCESS.handle_forks()?;
    let (number, hold) = PROCESS.recorder.start(config, Teller::Hook)?;
    if !thread::with(|thread| hold.tables().probe.ask(thread)) {
        drop(hold.tables().giants.take_file());
        PROCESS.recorder.stop(number, hold);
        return Err(Error::NotInstalled);
    }
    Ok((number, hold))
}

/// Starts a session that the provider tells of requests. The answer is as that of [`start`].
///
/// # Errors
///
/// Those of [`Recorder::start`].
pub(crate) fn start_told(config: &Config, provider: Installed) -> Result<(u64, Hold<'static>), Error> {
    PROCESS.handle_forks()?;
    let (number, hold) = PROCESS.recorder.start(config, Teller::Provider)?;
    hold.tables().probe.set_provider(provider);
    Ok((number, hold))
}

impl Process {
    /// Registers the fork handler, once.
    fn handle_forks(&self) -> Result<(), Error> {
        if self.handles_forks.swap(true, SeqCst) {
            return Ok(());
        }
        os::at_fork_in_child(forget_in_child).map_err(|_| {
            self.handles_forks.store(false, SeqCst);
            Error::Memory { what: "a fork handler" }
        })
    }
}
