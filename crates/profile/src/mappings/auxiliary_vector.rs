//! What the kernel and the loader tell a program about itself.

// unsafe: asks the C library.
#![allow(unsafe_code)]

/// Where the program headers of the main program are; zero when nobody tells.
///
/// The C library's answer, not that of `/proc/self/auxv`: a loader that was started with a program to load corrects it,
/// and the kernel's own is then about the loader.
pub(super) fn program_headers() -> u64 {
    // SAFETY: getauxval(3) takes a number and answers one.
    unsafe { libc::getauxval(libc::AT_PHDR) }
}
