use std::time::SystemTime;

use super::{JemallocConfig, JemallocError, JemallocReader, control, session::Session};

/// jemalloc's own profiler, which runs until this is stopped or dropped.
///
/// The program needs `prof:true` in its configuration of jemalloc, and `prof_active:false` unless it shall run from the start;
/// without `prof_accum:true` what was allocated is not known.
///
/// ```no_run
/// use allometer_jemalloc::{Jemalloc, JemallocConfig, JemallocProfiler};
/// use allometer_profile::{Source, Symbolizer};
///
/// #[global_allocator]
/// static ALLOC: Jemalloc = Jemalloc;
///
/// // What jemalloc reads when the program starts.
/// #[unsafe(export_name = "_rjem_malloc_conf")]
/// static CONF: &[u8; 44] = b"prof:true,prof_active:false,prof_accum:true\0";
///
/// let profiler = JemallocProfiler::start(&JemallocConfig::default())?;
/// // … the program works …
/// let profile = profiler.reader().moment()?.profile(&mut Symbolizer::new());
/// std::fs::write("heap.pb.gz", profile.to_pprof_gzip())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JemallocProfiler {
    reader: JemallocReader,
    session: Session,
}

impl JemallocProfiler {
    /// Has jemalloc forget what it had counted, and starts its profiler. Threads that run already are sampled from now on.
    ///
    /// # Errors
    ///
    /// [`JemallocError::NotBuilt`], [`JemallocError::Off`], [`JemallocError::AlreadyActive`], [`JemallocError::Interval`],
    /// [`JemallocError::Busy`], [`JemallocError::Control`].
    pub fn start(config: &JemallocConfig) -> Result<Self, JemallocError> {
        let session = control::with_profiler(|profiler| {
            if profiler.activated() || control::is_active() {
                return Err(JemallocError::AlreadyActive);
            }
            control::reset(config.lg_sample()?)?;
            profiler.activate().map_err(|error| control::refused("prof.active", error))?;
            Ok(Session::begin(Some(SystemTime::now())))
        })?;
        Ok(Self { reader: JemallocReader::new(session.clone(), config.symbolization), session })
    }

    /// Reads it.
    pub fn reader(&self) -> JemallocReader {
        self.reader.clone()
    }

    /// Stops it, and has jemalloc forget what it had counted. Moments that were taken stay readable.
    ///
    /// # Errors
    ///
    /// [`JemallocError::Inactive`] if it does not run, [`JemallocError::Busy`], [`JemallocError::Control`].
    pub fn stop(&mut self) -> Result<(), JemallocError> {
        if !self.session.is_active() {
            return Err(JemallocError::Inactive);
        }
        control::with_profiler(|profiler| {
            profiler.deactivate().map_err(|error| control::refused("prof.active", error))
        })?;
        self.session.end();
        Ok(())
    }
}

impl Drop for JemallocProfiler {
    fn drop(&mut self) {
        // Who wants to know whether it could be stopped asks for it.
        let _ = self.stop();
    }
}
