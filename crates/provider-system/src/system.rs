//! The provider over std's `System`.

// unsafe: forwards `GlobalAlloc`, whose methods are unsafe to implement and to call.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};

use allometer_provider::{ConstProvider, Provider, ProviderStats, sealed::Sealed};

use crate::malloc;

/// The platform's allocator; profiles show it as `system`.
///
/// What it knows depends on the C library: usable sizes on Linux and Android; with glibc also sizes of blocks, which may have
/// some bytes more: 16 if what was left over is too small for a block, up to a page if the block is a mapping of its own. With
/// glibc 2.33 or later also `allocated` (block headers and each thread's cache of freed blocks included) and `committed`.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

// SAFETY: each call is the same call of std's `System`, which keeps the contract.
unsafe impl GlobalAlloc for System {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { std::alloc::System.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { std::alloc::System.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { std::alloc::System.dealloc(ptr, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { std::alloc::System.realloc(ptr, layout, new_size) }
    }
}

impl Sealed for System {}

// SAFETY: `GlobalAlloc` is forwarded, and the C library's functions do not unwind.
unsafe impl Provider for System {
    fn name(&self) -> &'static str {
        "system"
    }

    unsafe fn usable_size(&self, ptr: *mut u8, _layout: Layout) -> Option<usize> {
        // SAFETY: a live block of std's `System`, which takes every block from the C library's malloc.
        unsafe { malloc::usable_size(ptr) }
    }

    fn good_size_function(&self) -> Option<fn(usize) -> usize> {
        malloc::good_size()
    }

    /// Takes each arena's lock in turn, and the loader's to look `mallinfo2` up: not for signal handlers.
    fn stats(&self) -> ProviderStats {
        malloc::stats()
    }

    fn stats_function(&self) -> Option<fn() -> ProviderStats> {
        Some(|| Self::INSTANCE.stats())
    }

    /// With glibc `malloc_trim(0)`, which visits every arena: about 14 ms where it gave 80 MB back.
    fn purge(&self) -> bool {
        malloc::trim()
    }

    fn purge_function(&self) -> Option<fn() -> bool> {
        Some(|| Self::INSTANCE.purge())
    }
}

impl ConstProvider for System {
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
                let block = System.alloc(layout);
                assert_eq!(block.addr() % align, 0);
                let usable = System.usable_size(block, layout);
                System.dealloc(block, layout);
                usable
            };
            assert!(usable.is_none_or(|usable| usable >= size), "{size} {align} {usable:?}");
            assert_eq!(usable.is_some(), cfg!(any(target_os = "linux", target_os = "android")));
        }
    }

    #[test]
    fn a_large_block_shows_in_the_figures() {
        let layout = Layout::from_size_align(BIG, 16).unwrap();
        let before = System.stats();
        // SAFETY: the layout is not empty, and the block is live until `dealloc`.
        let during = unsafe {
            let block = System.alloc(layout);
            let during = System.stats();
            System.dealloc(block, layout);
            during
        };
        let gnu = cfg!(all(target_os = "linux", target_env = "gnu"));
        assert_eq!(before.allocated.is_some(), gnu);
        for (before, during) in [(before.allocated, during.allocated), (before.committed, during.committed)] {
            assert_eq!(before.is_some(), during.is_some());
            // Tests beside this one free a megabyte or two meanwhile.
            assert!(during >= before.map(|bytes| bytes + BIG as u64 - (4 << 20)), "{before:?} {during:?}");
        }
        assert_eq!(
            (before.active, before.resident, before.retained, before.metadata),
            (None, None, None, None)
        );
    }

    #[test]
    fn only_glibc_trims() {
        assert_eq!(System.purge(), cfg!(all(target_os = "linux", target_env = "gnu")));
        assert_eq!(System.name(), "system");
    }
}
