//! A runner, from start to stop.

use std::{
    mem,
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

use allometer_core::unsampled;
use allometer_profile::Source;

use crate::{
    Builder, Error, archive::Archive, at_exit, attendant::Attendant, directory::Directory, orders::Orders,
    signals::Signals,
};

/// A thread that writes reports of a session, or of any other [`Source`], into a directory, when its memory moves, by the clock, when it is asked,
/// and at the end. See [`docs/reports.md`].
///
/// Declare it after the session's `Profiler`, so that it is dropped before: its last report needs the session. A session
/// that is over ends it. A forked child has no runner: what it asks there does nothing.
///
/// [`docs/reports.md`]: https://github.com/allometer/allometer/blob/main/docs/reports.md
#[derive(Debug)]
pub struct Runner {
    orders: Arc<Orders>,
    signals: Signals,
    /// `None` once it was stopped.
    thread: Option<JoinHandle<()>>,
}

impl Runner {
    /// Starts one with the default [`Settings`](crate::Settings).
    ///
    /// `directory` is made if it is not there, but not those around it; a relative path is one of the working directory
    /// at this moment.
    ///
    /// ```no_run
    /// use allometer_core::{Config, Profiler};
    /// use allometer_runner::Runner;
    ///
    /// let profiler = Profiler::start(Config::default())?;
    /// let runner = Runner::start(profiler.reader(), "reports")?;
    /// // … the program works, and `ls reports` shows how its memory went …
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Directory`], [`Error::NotOwned`] or [`Error::WritableByOthers`] if the directory cannot be used now:
    /// that is said at once, where later failures are [`Event`](crate::Event)s. [`Error::Thread`], [`Error::Listen`] or
    /// [`Error::AtExit`] if the system has no room for it.
    pub fn start(source: impl Source + 'static, directory: impl AsRef<Path>) -> Result<Self, Error> {
        Self::builder(source, directory).start()
    }

    /// One that is told when to write, what, and to whom failures are said.
    ///
    /// ```no_run
    /// # use allometer_core::{Config, Profiler};
    /// use allometer_runner::{Event, Runner, Settings};
    ///
    /// # let profiler = Profiler::start(Config::default())?;
    /// let runner = Runner::builder(profiler.reader(), "reports")
    ///     .settings(Settings::default().moved(Some(0.5)).at_exit(true))
    ///     .on_event(|event| {
    ///         if let Event::Failed { error } = event {
    ///             eprintln!("{error}");
    ///         }
    ///     })
    ///     .start()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(source: impl Source + 'static, directory: impl AsRef<Path>) -> Builder {
        Builder::new(unsampled(|| Arc::new(source)), directory.as_ref().to_path_buf())
    }

    pub(crate) fn of(builder: Builder) -> Result<Self, Error> {
        let source = Arc::clone(&builder.source);
        source.left_out(|| {
            builder.settings.validate()?;
            let Builder { source, path, settings, listener, session } = builder;
            let path = Builder::absolute(&path)?;
            Directory::open(&path)?;
            let failed = |cause| Error::Thread { cause };
            let orders = Arc::new(Orders::new(settings.patience).map_err(failed)?);
            let signals = Signals::listen(&settings, &orders)?;
            if settings.at_exit {
                at_exit::listen(&orders)?;
            }
            let archive = Archive::new(path, settings.program_name(), &settings, listener);
            let attendant = Attendant::new(Arc::clone(&source), archive, settings, orders.clone());
            let run = move || source.left_out(|| attendant.run(session));
            match thread::Builder::new().name("heap-reports".to_owned()).spawn(run) {
                Ok(thread) => Ok(Self { orders, signals, thread: Some(thread) }),
                Err(cause) => {
                    orders.never_began();
                    Err(failed(cause))
                }
            }
        })
    }

    /// Asks for a report, and does not wait for it. Several that come together are one.
    pub fn request(&self) {
        self.orders.ask_for_report();
    }

    /// Asks for a report after which everything starts afresh: later ones say what was allocated since then. What is live
    /// stays live.
    pub fn fresh_start(&self) {
        self.orders.ask_for_fresh_start();
    }

    /// Writes what was asked for and the last report ([`Settings::exit_report`](crate::Settings::exit_report)), and ends
    /// the thread. A later call does nothing, and dropping it does the same as this.
    ///
    /// It waits for that, but no longer than [`Settings::patience`](crate::Settings::patience): a thread that waits for a
    /// disk then goes on alone. On the runner's own thread, in what is called with events, it waits for nothing.
    pub fn stop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        if !self.orders.is_here() {
            // A child's copy: there is no such thread, and its number may be another one's.
            self.signals.forget();
            mem::forget(thread);
            return;
        }
        self.signals.stop();
        if self.orders.end() {
            // It has said so as the last thing it does. If it panicked, that was printed.
            let _ = thread.join();
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop();
    }
}
