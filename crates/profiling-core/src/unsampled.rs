//! Code whose requests are no part of a profile.

use crate::thread;

/// Runs `code`; what this thread requests meanwhile is neither charged nor recorded.
///
/// It is for whoever watches the program from inside it, such as a thread that writes reports, so that profiles
/// show the program alone. What `code` requests is in no figure of a session; what it keeps counts from when it is
/// resized outside, as a request of the new size. What it frees or resizes of the program's own is taken off as ever.
/// Other threads are sampled as before, those that `code` starts too. Exact measurements ([`measure_thread`](crate::measure_thread)) do not see it either.
///
/// It can stand inside itself, and ends with a panic of `code` as with its return.
///
/// ```
/// let text = allometer_core::unsampled(|| "a report".repeat(1000));
/// assert_eq!(text.len(), 8000);
/// ```
pub fn unsampled<T>(code: impl FnOnce() -> T) -> T {
    thread::with(|thread| thread.inside(code))
}
