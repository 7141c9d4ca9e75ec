//! What the C library knows beyond `malloc`: usable sizes, sizes of blocks, figures, giving memory back.

// unsafe: calls C functions.
#![allow(unsafe_code)]

use allometer_provider::ProviderStats;

/// How many bytes the block at `ptr` can hold, where the C library tells.
///
/// # Safety
///
/// `ptr` is a live block of `malloc` or one of its relatives.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) unsafe fn usable_size(ptr: *mut u8) -> Option<usize> {
    // SAFETY: malloc_usable_size(3) wants a live block, which the caller promises.
    Some(unsafe { libc::malloc_usable_size(ptr.cast()) })
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) unsafe fn usable_size(_ptr: *mut u8) -> Option<usize> {
    None
}

/// How many bytes a block has at least that is given for a request of `size` bytes, where that is known.
///
/// Of glibc, malloc/malloc.c: `request2size`, and for what is always a mapping of its own `sysmalloc_mmap`. That is so
/// from `DEFAULT_MMAP_THRESHOLD_MAX` on. Below, down to 128 KiB, it depends on what was freed before
/// (`mp_.mmap_threshold` follows it): such a block, if it is mapped, has up to a page more.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn good_size() -> Option<fn(usize) -> usize> {
    const WORD: usize = size_of::<usize>();
    const LEAST: usize = 4 * WORD;
    const ALWAYS_MAPPED: usize = WORD << 22;
    Some(|size| {
        let chunk =
            size.saturating_add(WORD).checked_next_multiple_of(2 * WORD).map(|chunk| chunk.max(LEAST));
        // Too large for any block otherwise.
        let Some(chunk) = chunk else { return size };
        if chunk < ALWAYS_MAPPED {
            return chunk - WORD;
        }
        // SAFETY: sysconf(3) takes any name.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        chunk.saturating_add(WORD).checked_next_multiple_of(page).map_or(size, |mapped| mapped - 2 * WORD)
    })
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn good_size() -> Option<fn(usize) -> usize> {
    None
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn stats() -> ProviderStats {
    let mut stats = ProviderStats::default();
    let Some(mallinfo2) = mallinfo2() else { return stats };
    // SAFETY: mallinfo2(3) asks for nothing and is safe beside other threads' allocations.
    let info = unsafe { mallinfo2() };
    // Blocks of their own mapping stand beside those of the arenas in both figures.
    stats.allocated = Some((info.uordblks + info.hblkhd) as u64);
    stats.committed = Some((info.arena + info.hblkhd) as u64);
    stats
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn stats() -> ProviderStats {
    ProviderStats::default()
}

/// `mallinfo2`, which glibc has since 2.33: looked up, because a program that links to it does not start
/// with an older one. `mallinfo` does not stand in for it: its figures wrap at 4 GiB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn mallinfo2() -> Option<unsafe extern "C" fn() -> libc::mallinfo2> {
    // SAFETY: dlsym(3) wants a handle, here the default one, and a terminated name.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"mallinfo2".as_ptr()) };
    if symbol.is_null() {
        return None;
    }
    // SAFETY: the symbol of that name is glibc's function of this signature, mallinfo2(3).
    Some(unsafe {
        std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn() -> libc::mallinfo2>(symbol)
    })
}

/// Gives free memory back, where the C library can; answers whether it can.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn trim() -> bool {
    // SAFETY: malloc_trim(3) takes any padding and is safe beside other threads' allocations.
    unsafe { libc::malloc_trim(0) };
    true
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn trim() -> bool {
    false
}
