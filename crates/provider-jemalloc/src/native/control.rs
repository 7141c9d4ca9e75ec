//! What jemalloc is asked and told of its profiler.

// unsafe: reads and writes jemalloc's controls by name, whose types are for the caller to know.
#![allow(unsafe_code)]

use std::{thread, time::Duration};

use jemalloc_pprof::{JemallocProfCtl, PROF_CTL};
use tikv_jemalloc_ctl::raw;

use super::JemallocError;

/// A control of jemalloc.
#[derive(Clone, Copy, Debug)]
struct Key(&'static str);

/// Whether jemalloc was built with its profiler.
const IS_BUILT: Key = Key("config.prof\0");
/// Whether it was switched on at the program's start.
const IS_ON: Key = Key("opt.prof\0");
/// Whether it counts what was allocated, and not only what is live.
const ACCUMULATES: Key = Key("opt.prof_accum\0");
const IS_ACTIVE: Key = Key("prof.active\0");
const IS_THREAD_ACTIVE: Key = Key("thread.prof.active\0");
/// The most frames of a stack.
const MAX_DEPTH: Key = Key("opt.prof_bt_max\0");
/// The power of two that is the sample interval.
const LG_SAMPLE: Key = Key("prof.lg_sample\0");
/// Forgets all that was counted, and sets the sample interval.
const RESET: Key = Key("prof.reset\0");

/// How long the profiler is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

impl Key {
    /// # Safety
    ///
    /// `T` is the type that jemalloc has for it.
    unsafe fn read<T: Copy>(self) -> Result<T, JemallocError> {
        // SAFETY: forwarded from the caller; the name ends with a zero.
        unsafe { raw::read(self.0.as_bytes()) }.map_err(|error| self.refused(error))
    }

    /// # Safety
    ///
    /// As for [`Key::read`].
    unsafe fn write<T>(self, value: T) -> Result<(), JemallocError> {
        // SAFETY: forwarded from the caller; the name ends with a zero.
        unsafe { raw::write(self.0.as_bytes(), value) }.map_err(|error| self.refused(error))
    }

    fn refused(self, error: tikv_jemalloc_ctl::Error) -> JemallocError {
        JemallocError::Control { key: self.0.trim_end_matches('\0'), reason: error.to_string() }
    }
}

fn flag(key: Key) -> Result<bool, JemallocError> {
    // SAFETY: it is called with the keys above that stand for a yes or no, which jemalloc has as `bool`.
    unsafe { key.read() }
}

/// # Errors
///
/// [`JemallocError::NotBuilt`], [`JemallocError::Off`].
pub(super) fn check_usable() -> Result<(), JemallocError> {
    if !flag(IS_BUILT)? {
        return Err(JemallocError::NotBuilt);
    }
    if flag(IS_ON)? { Ok(()) } else { Err(JemallocError::Off) }
}

pub(super) fn is_active() -> bool {
    flag(IS_ACTIVE).unwrap_or(false)
}

/// Whether it counts what was allocated.
pub(super) fn accumulates() -> bool {
    flag(ACCUMULATES).unwrap_or(false)
}

/// The most frames of a stack.
pub(super) fn max_depth() -> usize {
    // SAFETY: an `unsigned`.
    unsafe { MAX_DEPTH.read::<std::ffi::c_uint>() }.map_or(usize::MAX, |depth| depth as usize)
}

/// The sample interval, as a power of two.
pub(super) fn lg_sample() -> Result<usize, JemallocError> {
    // SAFETY: a `size_t`.
    unsafe { LG_SAMPLE.read() }
}

/// Forgets all that was counted, and samples at this interval from now on.
pub(super) fn reset(lg_sample: usize) -> Result<(), JemallocError> {
    // SAFETY: a `size_t`.
    unsafe { RESET.write(lg_sample) }
}

/// The profiler of the crate `jemalloc_pprof`, for this call alone: who uses that crate beside this one is not in its way.
///
/// Nobody waits in line for it: that would want a thread without a runtime of tokio.
pub(super) fn with_profiler<T>(
    work: impl FnOnce(&mut JemallocProfCtl) -> Result<T, JemallocError>,
) -> Result<T, JemallocError> {
    // It wants jemalloc to have a profiler.
    check_usable()?;
    let profiler = PROF_CTL.as_ref().ok_or(JemallocError::Off)?;
    for _ in 0..PATIENCE.as_millis() / PAUSE.as_millis() {
        if let Ok(mut profiler) = profiler.try_lock() {
            return work(&mut profiler);
        }
        thread::sleep(PAUSE);
    }
    Err(JemallocError::Busy { seconds: PATIENCE.as_secs() })
}

pub(super) fn refused(key: &'static str, error: tikv_jemalloc_ctl::Error) -> JemallocError {
    JemallocError::Control { key, reason: error.to_string() }
}

/// Keeps this thread's requests out of jemalloc's profile until it is dropped.
#[derive(Debug)]
pub(super) struct LeftOut {
    was_active: bool,
}

impl LeftOut {
    pub(super) fn begin() -> Self {
        // SAFETY: a `bool`. Without a profiler there is nothing to keep out of.
        let was_active = unsafe { raw::update(IS_THREAD_ACTIVE.0.as_bytes(), false) };
        Self { was_active: was_active.unwrap_or(false) }
    }
}

impl Drop for LeftOut {
    fn drop(&mut self) {
        if self.was_active {
            // SAFETY: a `bool`. It was written before, so it can be.
            let _ = unsafe { IS_THREAD_ACTIVE.write(true) };
        }
    }
}
