//! The session that measurements share.

use crate::{Config, Error, fork_lock::ForkLock, recorder::Recorder, seat::Hold, tables::Tables};

/// Room for what a test program allocates, at every stack and for every measurement anew.
const MAX_SITES: usize = 1 << 18;
const MAX_LIVE_SAMPLES: usize = 1 << 22;

/// The session that measurements share: it runs as long as one of them does.
///
/// No hook touches this lock.
#[derive(Debug)]
pub(crate) struct SharedSession(ForkLock<Option<Running>>);

#[derive(Debug)]
struct Running {
    users: usize,
    number: u64,
    owner: Hold<'static>,
}

/// One measurement's share in the session.
#[derive(Debug)]
pub(crate) struct Share {
    shared: &'static SharedSession,
    recorder: &'static Recorder,
    /// Dropped before the session is stopped, or after: its tables stay until then.
    hold: Hold<'static>,
}

impl SharedSession {
    pub(crate) const fn new() -> Self {
        Self(ForkLock::new())
    }

    /// For a forked child, which has none of the parent's measurements.
    pub(crate) fn forget(&self) {
        self.0.forget();
    }

    /// Joins the session of `recorder`; the first one starts it, by `start`.
    ///
    /// # Errors
    ///
    /// Those of `start`.
    pub(crate) fn join(
        &'static self,
        recorder: &'static Recorder,
        start: impl FnOnce(&Config) -> Result<(u64, Hold<'static>), Error>,
    ) -> Result<Share, Error> {
        let mut running = self.0.lock();
        if running.is_none() {
            // Measurements tell stacks apart, and nothing else.
            let config = Config::default()
                .sample_interval(1)
                .max_sites(MAX_SITES)
                .max_live_samples(MAX_LIVE_SAMPLES)
                .max_tags(0);
            let (number, owner) = start(&config)?;
            *running = Some(Running { users: 0, number, owner });
        }
        let Some(running) = running.as_mut() else { return Err(Error::Inactive) };
        let hold = recorder.hold(running.number).ok_or(Error::Inactive)?;
        running.users += 1;
        Ok(Share { shared: self, recorder, hold })
    }
}

impl Share {
    pub(crate) fn tables(&self) -> &Tables {
        self.hold.tables()
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // In a forked child another session may sit where this one sat.
        let number = self.hold.number();
        let mut running = self.shared.0.lock();
        let is_last = |running: &mut Running| {
            let mine = running.number == number;
            running.users -= usize::from(mine);
            mine && running.users == 0
        };
        if let Some(Running { number, owner, .. }) = running.take_if(is_last) {
            self.recorder.stop(number, owner);
        }
    }
}
