//! The functions that mimalloc calls, and what it keeps of them.

// unsafe: a table of functions for C, which gives raw memory to them.
#![allow(unsafe_code)]

use std::{
    cell::{Cell, UnsafeCell},
    ffi::c_void,
    hint::black_box,
    ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use allometer_core::native::{Answer, Request, SessionNumber, Told, freed, requested};
use rustfs_mimalloc_sys::{
    MI_PROFILE_ENABLED, mi_free, mi_heap_t, mi_malloc, mi_profile, mi_profiler_sample_data_t,
    mi_profiler_start, mi_profiler_stop, mi_profiler_t,
};

use super::{NativeError, description::Description};

/// The table that mimalloc has, as long as the process runs: it may look at it whenever something is requested.
static HOOKS: Hooks = Hooks(UnsafeCell::new(mi_profiler_t {
    reserved: ptr::null_mut(),
    sample_data_size: size_of::<u64>(),
    // The first request that a thread is asked about begins its countdown.
    initial_sample_rate: 1,
    on_alloc: Some(on_alloc),
    on_free: Some(on_free),
    on_realloc_inplace: None,
    on_snapshot: None,
}));

struct Hooks(UnsafeCell<mi_profiler_t>);

// SAFETY: mimalloc changes the one field that changes, `reserved`, atomically, and nobody else touches the table.
unsafe impl Sync for Hooks {}

/// What a thread told mimalloc last.
#[derive(Clone, Copy)]
struct Last {
    /// After how many bytes to call next.
    rate: usize,
    /// By how many bytes it calls sooner: it shortens a countdown, but never makes one longer.
    sooner: usize,
}

thread_local! {
    /// How often it has called while this thread finds out how often it does.
    static PROBED: Cell<Option<usize>> = const { Cell::new(None) };
    static LAST: Cell<Last> = const { Cell::new(Last { rate: 0, sooner: 0 }) };
}

/// No call for as long as can be.
const NEVER: usize = usize::MAX / 4;

/// The most bytes until the next call. Where mimalloc guards blocks, it looks after so many bytes whether it is to do either, and would call too late if
/// it were to be called before: so it is called each time, and guards none meanwhile.
static LONGEST: AtomicUsize = AtomicUsize::new(NEVER);

/// The size of a request that finds out whether mimalloc calls.
const PROBE: usize = 64;
/// After so many requests that it has no block at hand for, mimalloc looks whether it is to call: `mi_malloc_generic_admin`.
const SLOW_REQUESTS: usize = 1000;
/// A size that always goes the slow way, since it is more than `MI_SMALL_SIZE_MAX`.
const SLOW: usize = 4096;

/// Has mimalloc call, and finds out whether it does.
///
/// # Errors
///
/// [`NativeError::NotBuilt`], [`NativeError::InUse`], [`NativeError::Coarse`].
pub(super) fn start() -> Result<(), NativeError> {
    if !MI_PROFILE_ENABLED {
        return Err(NativeError::NotBuilt);
    }
    let Description { is_fine, guard_rate } = Description::get();
    if !is_fine {
        return Err(NativeError::Coarse);
    }
    LONGEST.store(guard_rate.unwrap_or(NEVER), Relaxed);
    // SAFETY: the table is there for ever. Attaching it once more changes nothing, and stops it, so that the start reaches
    // this thread, which is asked at each byte then.
    unsafe {
        mi_profile(HOOKS.0.get());
        mi_profiler_stop(HOOKS.0.get());
        mi_profiler_start(HOOKS.0.get());
    }
    PROBED.set(Some(0));
    request(PROBE);
    if PROBED.take() == Some(0) {
        stop();
        return Err(NativeError::InUse);
    }
    Ok(())
}

/// Has mimalloc look on this thread whether it is to call.
pub(super) fn reach_this_thread() {
    (0..SLOW_REQUESTS).for_each(|_| request(SLOW));
}

/// Requests a block, and gives it back.
fn request(size: usize) {
    // SAFETY: takes any size; a null pointer can be freed.
    unsafe { mi_free(black_box(mi_malloc(size))) };
}

/// Has mimalloc not call any more.
pub(super) fn stop() {
    // SAFETY: as above.
    unsafe { mi_profiler_stop(HOOKS.0.get()) };
}

/// mimalloc has granted a request, and asks after how many bytes to call again.
unsafe extern "C" fn on_alloc(
    _: *mut mi_profiler_t,
    data: *mut mi_profiler_sample_data_t,
    _block: *mut c_void,
    size: usize,
    rate: usize,
    since: u64,
    _: *mut mi_heap_t,
) -> usize {
    if let Some(calls) = PROBED.get() {
        PROBED.set(Some(calls + 1));
        // SAFETY: mimalloc has made room for `sample_data_size` bytes of ours.
        unsafe { set_session(data, None) };
        return rate;
    }
    let last = LAST.get();
    // It counts from where the countdown would have begun that it did not make longer.
    let sooner = if last.rate == rate { last.sooner as u64 } else { 0 };
    let since_last = since.saturating_sub(sooner).max(size as u64);
    let (recorded, next) = match requested(Request { key: data.addr(), size, since_last }) {
        // It calls for a request of more than so many bytes; one of exactly as many holds the mark.
        Answer::Told(Told { recorded, until_next }) => {
            (recorded, usize::try_from(until_next - 1).unwrap_or(NEVER))
        }
        // As before.
        Answer::Inside => (None, rate),
        Answer::NoSession => (None, NEVER),
    };
    // SAFETY: mimalloc has made room for `sample_data_size` bytes of ours.
    unsafe { set_session(data, recorded) };
    // Zero would leave it as it is.
    let next = next.clamp(1, LONGEST.load(Relaxed));
    LAST.set(Last { rate: next, sooner: next.saturating_sub(rate) });
    next
}

/// A block of which [`on_alloc`] was told is about to be freed.
unsafe extern "C" fn on_free(
    _: *mut mi_profiler_t,
    data: *mut mi_profiler_sample_data_t,
    _: *mut c_void,
    _: *mut mi_heap_t,
) {
    // SAFETY: what `on_alloc` wrote.
    let session = unsafe { (&raw const (*data).user_data).cast::<u64>().read() };
    if session != 0 {
        freed(data.addr(), SessionNumber(session));
    }
}

/// Keeps beside a block which session has recorded it, zero if none has.
///
/// # Safety
///
/// The data has room for it.
unsafe fn set_session(data: *mut mi_profiler_sample_data_t, session: Option<SessionNumber>) {
    let session = session.map_or(0, |SessionNumber(number)| number);
    // SAFETY: forwarded from the caller; the array is where the data of ours begin.
    unsafe { (&raw mut (*data).user_data).cast::<u64>().write(session) };
}
