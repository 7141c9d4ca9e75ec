//! What differs by operating system: memory outside every allocator, fork handlers, randomness, time.

// unsafe: calls into libc.
#![allow(unsafe_code)]

use std::{io, ptr, ptr::NonNull};

#[cfg(any(loom, shuttle))]
pub(crate) use crate::sync::Reservation;

/// Zeroed address space from the operating system; memory is taken as it is touched.
#[cfg(not(any(loom, shuttle)))]
#[derive(Debug)]
pub(crate) struct Reservation {
    base: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a reservation is a range of addresses that it owns; it hands out nothing of a thread.
#[cfg(not(any(loom, shuttle)))]
unsafe impl Send for Reservation {}
// SAFETY: as above, and its shared methods only read its two fields or make a system call.
#[cfg(not(any(loom, shuttle)))]
unsafe impl Sync for Reservation {}

#[cfg(not(any(loom, shuttle)))]
impl Reservation {
    /// Reserves `bytes` (more than zero), or answers `None` where the system refuses.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous private mapping at an address of the system's choice (mmap(2)).
        let base = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return None;
        }
        Self::of(base, bytes)
    }

    /// As [`Reservation::new`], ending at a multiple of `multiple`: a power of two, and as `bytes` a number
    /// of whole pages.
    pub(crate) fn up_to_multiple(bytes: usize, multiple: usize) -> Option<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let all = bytes.checked_add(multiple)?;
        // Without access at first, so that what is too much does not count as memory that was promised.
        // SAFETY: as in `new`.
        let start = unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let first_end = start.wrapping_byte_add(bytes);
        let before = first_end.align_offset(multiple);
        let base = start.wrapping_byte_add(before);
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: parts of the mapping above, of whole pages (munmap(2), mprotect(2)).
        unsafe {
            if before != 0 {
                libc::munmap(start, before);
            }
            libc::munmap(base.wrapping_byte_add(bytes), multiple - before);
            if libc::mprotect(base, bytes, access) != 0 {
                libc::munmap(base, bytes);
                return None;
            }
        }
        Self::of(base, bytes)
    }

    /// A mapping that is now owned.
    fn of(base: *mut libc::c_void, bytes: usize) -> Option<Self> {
        // Huge pages would turn one touched bucket into two megabytes; a refusal changes nothing.
        #[cfg(target_os = "linux")]
        // SAFETY: advice about a mapping of ours (madvise(2)).
        unsafe {
            libc::madvise(base, bytes, libc::MADV_NOHUGEPAGE);
        }
        Some(Self { base: NonNull::new(base.cast())?, bytes })
    }

    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Gives the memory of a range back and keeps its addresses: they read as zero from now on.
///
/// # Safety
///
/// The range is a [`Reservation`], or was one and was never dropped.
pub(crate) unsafe fn discard(base: *mut u8, bytes: usize) {
    // SAFETY: our own anonymous private mapping (madvise(2), MADV_DONTNEED).
    unsafe {
        libc::madvise(base.cast(), bytes, libc::MADV_DONTNEED);
    }
}

#[cfg(not(any(loom, shuttle)))]
impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the range is our own mapping, and its owner is gone (munmap(2)).
        unsafe {
            libc::munmap(self.base.as_ptr().cast(), self.bytes);
        }
    }
}

/// Runs `child` in each process that `fork` makes from now on, before `fork` returns there.
///
/// # Errors
///
/// The system's, where it has no room for another handler.
pub(crate) fn at_fork_in_child(child: extern "C" fn()) -> io::Result<()> {
    // SAFETY: `child` is a function of this program, which is never unloaded (pthread_atfork(3)).
    match unsafe { libc::pthread_atfork(None, None, Some(child)) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Whether this process has more rights than who started it, whose environment it has.
pub(crate) fn is_secure() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: reads a word that the kernel gave the process (getauxval(3)).
    return unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    #[cfg(not(target_os = "linux"))]
    false
}

/// What the system calls this thread.
pub(crate) fn thread_id() -> u64 {
    #[cfg(target_os = "linux")]
    // SAFETY: asks for nothing and always succeeds (gettid(2)).
    return unsafe { libc::gettid() } as u64;
    #[cfg(not(target_os = "linux"))]
    0
}

/// A number that nobody can guess, or the time where the system has no such number.
pub(crate) fn random_seed() -> u64 {
    let mut seed = 0u64;
    #[cfg(target_os = "linux")]
    // SAFETY: the buffer is eight writable bytes (getrandom(2)).
    unsafe {
        libc::getrandom((&raw mut seed).cast(), size_of::<u64>(), 0);
    }
    if seed == 0 { monotonic_nanos() } else { seed }
}

/// Nanoseconds of a clock that never goes back. No system call on Linux (vDSO), no allocation.
pub(crate) fn monotonic_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a writable timespec (clock_gettime(2)).
    unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time);
    }
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_is_zero_writable_and_zero_again() {
        let reservation = Reservation::new(1 << 20).unwrap();
        let last = reservation.base().as_ptr().wrapping_add((1 << 20) - 1);
        // SAFETY: the last byte of the mapping, touched by this thread only.
        unsafe {
            assert_eq!(last.read(), 0);
            last.write(7);
            discard(reservation.base().as_ptr(), reservation.bytes());
            assert_eq!(last.read(), 0);
        }
        assert!(Reservation::new(usize::MAX / 2).is_none());
    }

    #[test]
    fn a_reservation_ends_where_it_should() {
        for bytes in [1 << 16, 1 << 20, 1 << 23] {
            let reservation = Reservation::up_to_multiple(bytes, 1 << 22).unwrap();
            let (first, last) =
                (reservation.base().as_ptr(), reservation.base().as_ptr().wrapping_add(bytes - 1));
            assert_eq!((last.addr() + 1) % (1 << 22), 0);
            // SAFETY: the first and the last byte of the mapping, touched by this thread only.
            unsafe {
                first.write(7);
                assert_eq!(last.read(), 0);
                last.write(7);
            }
        }
        assert!(Reservation::up_to_multiple(usize::MAX / 2, 1 << 22).is_none());
    }

    #[test]
    fn seeds_differ() {
        assert_ne!(random_seed(), random_seed());
    }
}
