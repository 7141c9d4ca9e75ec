//! Sessions that a provider tells of requests, since it samples for itself: for the crates of this workspace that have such a provider.
//!
//! The decision when a request is looked at is the provider's. Whether it is a sample is decided here: marks are drawn as for the hook,
//! and a request is one if a mark is among the bytes that the thread has requested since it was last told of. A thread
//! is sampled from when it is first told of in a session. From there on
//! a sample is one like any other: its stack, its site, its weight, its place in the live table.

use allometer_provider::Provider;

use crate::{
    Config, Error, Profiler,
    capture::Registers,
    epoch::Epoch,
    probe::Installed,
    process::{self, PROCESS},
    record::{Before, Granted},
    thread,
};

/// The number of a session, which no other one of this process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionNumber(pub u64);

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was charged.
    Told(Told),
    /// The thread is inside the profiler: nothing is charged.
    Inside,
    /// No session runs that is told of requests.
    NoSession,
}

/// What became of a request that was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The session that has recorded it, which wants to be told of its end.
    pub recorded: Option<SessionNumber>,
    /// How many bytes the thread requests until the request with the next mark; at least one.
    pub until_next: u64,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What tells its object from every other one that is live: an address, not zero.
    pub key: usize,
    /// Requested bytes.
    pub size: usize,
    /// What this thread has requested since the provider last told of a request, this one included, in bytes.
    pub since_last: u64,
}

/// Starts a session that only [`requested`] and [`freed`] tell of anything. `own_functions` are those at the leaf of the
/// stacks in which the provider calls them, by the last part of their path.
///
/// # Errors
///
/// Those of [`Profiler::start`], but for the one that no allocator is installed.
pub fn start(
    config: Config,
    provider: &impl Provider,
    own_functions: &'static [&'static str],
) -> Result<Profiler, Error> {
    let installed = Installed { own_functions, ..Installed::of(provider) };
    let (number, hold) = process::start_told(&config, installed)?;
    Ok(Profiler::of(number, hold, config))
}

/// Whether a session runs, whoever tells it of requests.
pub fn is_active() -> bool {
    PROCESS.recorder.active() != Epoch::NONE
}

/// A request was granted, on this thread.
#[inline(never)]
pub fn requested(request: Request) -> Answer {
    let frame = Registers::here();
    thread::with(|thread| {
        let recorder = &PROCESS.recorder;
        let epoch = recorder.told();
        if epoch == Epoch::NONE {
            return Answer::NoSession;
        }
        if thread.is_inside() {
            return Answer::Inside;
        }
        // What a thread requested before it was first told of may be from before the session.
        let is_known = thread.epoch().number() == epoch.number();
        let since = if is_known { request.since_last } else { request.size as u64 };
        let since = usize::try_from(since).unwrap_or(usize::MAX).min(isize::MAX as usize);
        let picked = if thread.charge(epoch, since) { recorder.pick(thread, epoch, since) } else { None };
        let recorded = picked.map(|pick| {
            let Request { key, size, .. } = request;
            let granted = Granted { address: key, size, doublings: pick.doublings, frame };
            if pick.hold.tables().record(thread, granted, Before::Nothing) {
                recorder.follow_table(&pick.hold);
            }
            SessionNumber(pick.hold.tables().number)
        });
        Answer::Told(Told { recorded, until_next: thread.until_mark() })
    })
}

/// The object of this key is about to be freed, which `session` has recorded.
pub fn freed(key: usize, session: SessionNumber) {
    if let Some(hold) = PROCESS.recorder.hold(session.0) {
        hold.tables().free(key);
    }
}
