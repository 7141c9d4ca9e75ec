//! The provider over the `tikv-jemallocator` crate.

// unsafe: forwards `GlobalAlloc`, whose methods are unsafe to implement and to call; calls a C function.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout},
    ptr::null_mut,
};

use allometer_provider::{ConstProvider, Provider, ProviderStats, sealed::Sealed};
use tikv_jemalloc_ctl::{epoch, stats};

type Inner = tikv_jemallocator::Jemalloc;

/// jemalloc; profiles show it as `jemalloc`.
///
/// It knows usable sizes, sizes of blocks and all figures but `committed`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jemalloc;

// SAFETY: each call is the same call of `tikv-jemallocator`, which keeps the contract.
unsafe impl GlobalAlloc for Jemalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { Inner {}.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { Inner {}.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { Inner {}.dealloc(ptr, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { Inner {}.realloc(ptr, layout, new_size) }
    }
}

impl Sealed for Jemalloc {}

// SAFETY: `GlobalAlloc` is forwarded; the control calls name keys of the types that they have.
unsafe impl Provider for Jemalloc {
    fn name(&self) -> &'static str {
        "jemalloc"
    }

    unsafe fn usable_size(&self, ptr: *mut u8, _layout: Layout) -> Option<usize> {
        // SAFETY: `malloc_usable_size` wants a live block of jemalloc, which the caller promises.
        Some(unsafe { tikv_jemallocator::usable_size(ptr) })
    }

    fn good_size_function(&self) -> Option<fn(usize) -> usize> {
        Some(|size| {
            // SAFETY: `nallocx` wants a size that is not zero; without flags it is that of an ordinary alignment.
            let good = unsafe { tikv_jemalloc_sys::nallocx(size.max(1), 0) };
            // Zero: there is no such block.
            good.max(size)
        })
    }

    /// Advances jemalloc's epoch first, so that the figures are of now; that visits every arena.
    fn stats(&self) -> ProviderStats {
        let mut figures = ProviderStats::default();
        // Without a new epoch the figures would be of some earlier moment.
        if epoch::advance().is_err() {
            return figures;
        }
        let bytes = |read: Result<usize, _>| read.ok().map(|bytes| bytes as u64);
        figures.allocated = bytes(stats::allocated::read());
        figures.active = bytes(stats::active::read());
        figures.resident = bytes(stats::resident::read());
        figures.retained = bytes(stats::retained::read());
        figures.metadata = bytes(stats::metadata::read());
        figures
    }

    fn stats_function(&self) -> Option<fn() -> ProviderStats> {
        Some(|| Self::INSTANCE.stats())
    }

    /// Gives every arena's unused dirty pages back; what threads keep in their caches stays.
    fn purge(&self) -> bool {
        // The number is MALLCTL_ARENAS_ALL, jemalloc's index for all arenas at once.
        let name = c"arena.4096.purge";
        // SAFETY: `arena.<i>.purge` neither reads nor writes a value: all four pointers and sizes are zero.
        let answer =
            unsafe { tikv_jemalloc_sys::mallctl(name.as_ptr(), null_mut(), null_mut(), null_mut(), 0) };
        answer == 0
    }

    fn purge_function(&self) -> Option<fn() -> bool> {
        Some(|| Self::INSTANCE.purge())
    }
}

impl ConstProvider for Jemalloc {
    const INSTANCE: Self = Self;
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
                let block = Jemalloc.alloc(layout);
                assert_eq!(block.addr() % align, 0);
                let usable = Jemalloc.usable_size(block, layout);
                Jemalloc.dealloc(block, layout);
                usable
            };
            assert!(usable.is_some_and(|usable| usable >= size), "{size} {align} {usable:?}");
        }
    }

    #[test]
    fn a_large_block_shows_in_the_figures() {
        let layout = Layout::from_size_align(BIG, 16).unwrap();
        let before = Jemalloc.stats();
        // SAFETY: the layout is not empty, and the block is live until `dealloc`.
        let during = unsafe {
            let block = Jemalloc.alloc(layout);
            let during = Jemalloc.stats();
            Jemalloc.dealloc(block, layout);
            during
        };
        // Tests beside this one free a megabyte or two meanwhile.
        let least = before.allocated.map(|bytes| bytes + BIG as u64 - (4 << 20));
        assert!(during.allocated >= least && during.active >= during.allocated, "{before:?} {during:?}");
        assert!(before.metadata > Some(0) && before.resident > Some(0) && before.retained.is_some());
        assert_eq!(before.committed, None);
    }

    #[test]
    fn it_purges() {
        assert!(Jemalloc.purge());
        assert_eq!(Jemalloc.name(), "jemalloc");
    }
}
