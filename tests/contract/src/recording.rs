//! A session, and spans of it read back from their pprof.

use std::ops::{Deref, DerefMut};

use allometer_core::{Config, Profiler};

use crate::Decoded;

/// A session that is running.
#[derive(Debug)]
pub struct Recording(Profiler);

impl Recording {
    /// A session that records every request.
    pub fn exact() -> Self {
        Self::start(Config::default().sample_interval(1))
    }

    /// A session of `config`, which must start.
    pub fn start(config: Config) -> Self {
        Self(Profiler::start(config).expect("a session"))
    }

    /// What `body` answers, and the span in which it ran.
    pub fn during<T>(&self, body: impl FnOnce() -> T) -> (T, Decoded) {
        let before = self.snapshot().expect("a snapshot before");
        let answer = body();
        let after = self.snapshot().expect("a snapshot after");
        let span = after.since(&before).expect("a span");
        (answer, Decoded::new(&span.profile().to_pprof()))
    }

    /// The session so far.
    pub fn so_far(&self) -> Decoded {
        Decoded::new(&self.snapshot().expect("a snapshot").profile().to_pprof())
    }
}

impl Deref for Recording {
    type Target = Profiler;

    fn deref(&self) -> &Profiler {
        &self.0
    }
}

impl DerefMut for Recording {
    fn deref_mut(&mut self) -> &mut Profiler {
        &mut self.0
    }
}
