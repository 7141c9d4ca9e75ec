use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use allometer_core::Profiler;
use allometer_profile::Source;

use crate::{Error, Event, Runner, listener::Listener, settings::Settings};

/// A [`Runner`] that is not started yet: see [`Runner::builder`].
#[derive(Debug)]
pub struct Builder {
    pub(crate) source: Arc<dyn Source>,
    pub(crate) path: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) listener: Listener,
    /// The session, where nobody else stops it.
    pub(crate) session: Option<Profiler>,
}

impl Builder {
    pub(crate) fn new(source: Arc<dyn Source>, path: PathBuf) -> Self {
        Self { source, path, settings: Settings::default(), listener: Listener::none(), session: None }
    }

    /// When reports are written, which ones, and how long they stay.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What is called, on the runner's thread, with each [`Event`]. What it requests from the allocator is in no profile.
    /// The runner waits for it, and goes on if it panics.
    #[must_use]
    pub fn on_event(mut self, call: impl FnMut(&Event) + Send + 'static) -> Self {
        self.listener = Listener::of(call);
        self
    }

    /// Has the runner stop the session once it ends.
    pub(crate) fn owning(mut self, session: Profiler) -> Self {
        self.session = Some(session);
        self
    }

    /// Starts the runner.
    ///
    /// # Errors
    ///
    /// As for [`Runner::start`], and a setting that is out of its bounds.
    pub fn start(self) -> Result<Runner, Error> {
        Runner::of(self)
    }

    /// The directory, wherever the program goes later.
    ///
    /// # Errors
    ///
    /// [`Error::Directory`].
    pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Error> {
        std::path::absolute(path).map_err(|cause| Error::Directory { path: path.to_path_buf(), cause })
    }
}
