//! The signals that a runner listens to.

// unsafe: signal-hook cannot know that what it is given may run in a signal handler.
#![allow(unsafe_code)]

use std::{io, sync::Arc};

use signal_hook::{
    SigId,
    low_level::{emulate_default_handler, register, unregister},
};

use crate::{Error, orders::Orders, settings::Settings};

/// The signals that a runner listens to, beside whoever else does.
#[derive(Debug)]
pub(crate) struct Signals {
    request: Option<SigId>,
}

impl Signals {
    /// Listens to those of the settings, which were validated.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`].
    pub(crate) fn listen(settings: &Settings, orders: &Arc<Orders>) -> Result<Self, Error> {
        let failed = |signal| move |cause: io::Error| Error::Listen { signal, cause };
        let mut signals = Self { request: None };
        if let Some(signal) = settings.request_signal {
            let orders = orders.clone();
            let ask = move || orders.ask_for_report();
            // SAFETY: it gets the process's number, sets an atomic flag and writes into a pipe, each of which is
            // async-signal-safe (signal-safety(7)); it allocates nothing and cannot panic.
            signals.request = Some(unsafe { register(signal, ask) }.map_err(failed(signal))?);
        }
        if let Some(signal) = settings.exit_signal {
            let orders = orders.clone();
            let end = move || {
                if orders.must_end_at_once() {
                    end_by(signal);
                }
            };
            // SAFETY: as above, and `emulate_default_handler` is documented to be async-signal-safe.
            unsafe { register(signal, end) }.map_err(failed(signal))?;
        }
        Ok(signals)
    }

    /// Nobody asks any more. The signal does nothing then, since what it did before is not known to be better. One that
    /// ends the program is still listened to, and ends it at once: the system's own way to do so would not come back.
    pub(crate) fn stop(&mut self) {
        if let Some(request) = self.request.take() {
            unregister(request);
        }
    }

    /// For a forked child, where the lock of those who listen may be held for ever.
    pub(crate) fn forget(&mut self) {
        self.request = None;
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Ends the program as the signal does by default.
pub(crate) fn end_by(signal: i32) {
    // It is one that was validated, so it is known.
    let _ = emulate_default_handler(signal);
}
