//! The CPU time of this process.

// unsafe: std does not tell it.
#![allow(unsafe_code)]

use std::{io, time::Duration};

/// CPU time that all threads of this process have taken together, the kernel's part included.
///
/// # Errors
///
/// The system's, where it has no such clock.
pub(crate) fn cpu_time() -> io::Result<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a writable timespec (clock_gettime(2)).
    match unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) } {
        0 => Ok(Duration::new(time.tv_sec as u64, time.tv_nsec as u32)),
        _ => Err(io::Error::last_os_error()),
    }
}
