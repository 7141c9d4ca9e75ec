//! The provider over the `mimalloc` crate.

// unsafe: forwards `GlobalAlloc`, whose methods are unsafe to implement and to call; calls C functions.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout},
    ptr::null_mut,
};

use ::mimalloc::MiMalloc;
use allometer_provider::{ConstProvider, Provider, ProviderStats, sealed::Sealed};

/// mimalloc; profiles show it as `mimalloc`.
///
/// It knows usable sizes, sizes of blocks and `committed`, which on Linux does not fall when pages are given back. Why it knows no
/// other figures is said at [`ProviderStats`].
///
/// For a request of a larger alignment than 1 it takes a larger block, by one class, where the request ends less than the
/// alignment before the end of one: always for sizes above 1024 bytes that are no power of two, and now and then
/// below. [`Provider::good_size`] knows sizes alone, and is too small then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mimalloc;

// SAFETY: each call is the same call of the `mimalloc` crate, which keeps the contract.
unsafe impl GlobalAlloc for Mimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { MiMalloc.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { MiMalloc.dealloc(ptr, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { MiMalloc.realloc(ptr, layout, new_size) }
    }
}

impl Sealed for Mimalloc {}

// SAFETY: `GlobalAlloc` is forwarded, and mimalloc's functions do not unwind.
unsafe impl Provider for Mimalloc {
    fn name(&self) -> &'static str {
        "mimalloc"
    }

    unsafe fn usable_size(&self, ptr: *mut u8, _layout: Layout) -> Option<usize> {
        // SAFETY: `mi_usable_size` wants a block of mimalloc, which the caller promises.
        Some(unsafe { MiMalloc.usable_size(ptr) })
    }

    fn good_size_function(&self) -> Option<fn(usize) -> usize> {
        Some(good_size)
    }

    fn stats(&self) -> ProviderStats {
        let mut stats = ProviderStats::default();
        stats.committed = Some(committed() as u64);
        stats
    }

    fn stats_function(&self) -> Option<fn() -> ProviderStats> {
        Some(|| Self::INSTANCE.stats())
    }

    /// Collects the calling thread's heap and gives free pages back; other threads' heaps give theirs back
    /// when those threads next allocate.
    fn purge(&self) -> bool {
        // SAFETY: `mi_collect` may be called by any thread at any time.
        unsafe { libmimalloc_sys::mi_collect(true) };
        true
    }

    fn purge_function(&self) -> Option<fn() -> bool> {
        Some(|| Self::INSTANCE.purge())
    }
}

impl ConstProvider for Mimalloc {
    const INSTANCE: Self = Self;
}

/// What a block of mimalloc 3 has, for a request without an alignment.
///
/// `mi_good_size` rounds all large sizes to pages, but `mi_huge_page_alloc` takes as much as `_mi_os_good_alloc_size` says:
/// that is the table here.
fn good_size(size: usize) -> usize {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    let unit = match size {
        // SAFETY: `mi_good_size` takes any size.
        ..0x8_0000 => return unsafe { libmimalloc_sys::mi_good_size(size) },
        0x8_0000..0x20_0000 => 64 * KIB,
        0x20_0000..0x80_0000 => 256 * KIB,
        0x80_0000..0x200_0000 => MIB,
        _ => 4 * MIB,
    };
    size.checked_next_multiple_of(unit).unwrap_or(size)
}

/// Bytes that mimalloc has committed.
///
/// Its current resident size beside it is not used: on Linux mimalloc fills it with this same figure.
fn committed() -> usize {
    let mut committed = 0;
    // SAFETY: `mi_process_info` writes through each pointer that is not null.
    unsafe {
        libmimalloc_sys::mi_process_info(
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            null_mut(),
            &raw mut committed,
            null_mut(),
            null_mut(),
        );
    }
    committed
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: usize = 64 << 20;

    #[test]
    fn blocks_are_at_least_what_was_asked_for() {
        for (size, align) in [(1, 1), (24, 8), (100, 64), (5000, 4096), (1 << 20, 16)] {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the layout is not empty, and the block is live until `dealloc`.
            let usable = unsafe {
                let block = Mimalloc.alloc(layout);
                assert_eq!(block.addr() % align, 0);
                let usable = Mimalloc.usable_size(block, layout);
                Mimalloc.dealloc(block, layout);
                usable
            };
            assert!(usable.is_some_and(|usable| usable >= size), "{size} {align} {usable:?}");
        }
    }

    #[test]
    fn a_large_block_shows_in_the_figures() {
        let layout = Layout::from_size_align(BIG, 16).unwrap();
        let before = Mimalloc.stats();
        // SAFETY: the layout is not empty, and the block is live until `dealloc`.
        let during = unsafe {
            let block = Mimalloc.alloc_zeroed(layout);
            let during = Mimalloc.stats();
            Mimalloc.dealloc(block, layout);
            during
        };
        // Not all of it need be new: pages that an earlier block left committed may be among its own.
        assert!(
            during.committed >= before.committed.map(|bytes| bytes + BIG as u64 / 2),
            "{before:?} {during:?}"
        );
        assert_eq!((before.allocated, before.active, before.resident), (None, None, None));
    }

    #[test]
    fn it_collects() {
        assert!(Mimalloc.purge());
        assert_eq!(Mimalloc.name(), "mimalloc");
    }
}
