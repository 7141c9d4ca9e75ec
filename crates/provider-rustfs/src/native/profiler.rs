use allometer_core::{Config, Profiler, Reader, native};

use super::{NativeError, hooks, own_functions::OWN_FUNCTIONS};
use crate::RustfsMimalloc;

/// A session whose requests mimalloc itself finds, by its sampling hooks, and not the sampler in front of it.
///
/// The global allocator can be [`RustfsMimalloc`] alone. Profiles are those of a session of the sampler: the same sites, weights, errors,
/// lifetimes; a [`Reader`] reads it. What mimalloc's hooks do not do, measured in `docs/native.md`:
///
/// * mimalloc asks about a request only where its C code was compiled with `-DMI_PROFILE=2`, by `CFLAGS`; else it looks at one
///   in many. [`NativeProfiler::start`] refuses that.
/// * A thread is seen from the moment on when mimalloc looks whether there is a profiler: after a thousand requests for which it had no
///   block at hand. [`NativeProfiler::reach_this_thread`] makes it look.
/// * Requests of an alignment above 64 KiB are not seen, and those above 16 bytes count what alignment may take.
/// * A `realloc` that stays in its place is no request.
/// * [`Config::giant_limit`] has no meaning.
///
/// ```no_run
/// use allometer_core::Config;
/// use allometer_rustfs::{NativeProfiler, RustfsMimalloc};
///
/// #[global_allocator]
/// static ALLOC: RustfsMimalloc = RustfsMimalloc;
///
/// let profiler = NativeProfiler::start(Config::default())?;
/// // … the program works …
/// let profile = profiler.reader().snapshot()?.profile();
/// std::fs::write("heap.pb.gz", profile.to_pprof_gzip())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NativeProfiler {
    profiler: Profiler,
}

impl NativeProfiler {
    /// Starts a session; there is at most one in a process, whoever finds its requests.
    ///
    /// # Errors
    ///
    /// [`NativeError::NotBuilt`], [`NativeError::Coarse`], [`NativeError::InUse`], [`NativeError::Session`].
    pub fn start(config: Config) -> Result<Self, NativeError> {
        // Before mimalloc calls for it: what it calls for without a session it does not call for again soon.
        let profiler = native::start(config, &RustfsMimalloc, OWN_FUNCTIONS)?;
        hooks::start()?;
        Ok(Self { profiler })
    }

    /// Has mimalloc look on this thread whether there is a profiler, by a thousand requests: some microseconds. It is for the start of
    /// threads, while a session runs, so that all they request is seen, however little it is.
    pub fn reach_this_thread() {
        if native::is_active() {
            hooks::reach_this_thread();
        }
    }

    /// Reads it.
    pub fn reader(&self) -> Reader {
        self.profiler.reader()
    }

    /// Ends the session. A later call does nothing.
    pub fn stop(&mut self) {
        if self.profiler.is_active() {
            hooks::stop();
        }
        self.profiler.stop();
    }
}

impl Drop for NativeProfiler {
    fn drop(&mut self) {
        self.stop();
    }
}
