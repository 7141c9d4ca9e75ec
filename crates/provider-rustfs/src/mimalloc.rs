//! The provider over the `rustfs-mimalloc` crate.

// unsafe: implements `GlobalAlloc`, whose methods are unsafe, by functions of C.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};

use allometer_provider::{ConstProvider, Provider, ProviderStats, sealed::Sealed};
use rustfs_mimalloc::MiMalloc;
use rustfs_mimalloc_sys as sys;

/// RustFS's mimalloc; profiles show it as `rustfs-mimalloc`.
///
/// It knows usable sizes, sizes of blocks and `committed`, which on Linux does not fall when pages are given back. Why it knows no
/// other figures is said at [`ProviderStats`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RustfsMimalloc;

/// The alignment of every block of at least so many bytes, `MI_MAX_ALIGN_SIZE`; smaller ones have the largest power of two that they can hold.
const USUAL_ALIGN: usize = 16;

/// Whether mimalloc gives this alignment without being asked for it: then it is asked by its shorter way, which takes fewer
/// instructions, and counts what is requested and not what alignment might take.
#[inline]
fn is_usual(size: usize, align: usize) -> bool {
    align <= USUAL_ALIGN && align <= size
}

// SAFETY: mimalloc's functions keep the contract; which of two is called depends on the layout alone, and both give blocks that either may be
// given back.
unsafe impl GlobalAlloc for RustfsMimalloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_usual(layout.size(), layout.align()) {
            // SAFETY: takes any size.
            return unsafe { sys::mi_malloc(layout.size()) }.cast();
        }
        // SAFETY: forwarded from the caller.
        unsafe { MiMalloc.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_usual(layout.size(), layout.align()) {
            // SAFETY: takes any size.
            return unsafe { sys::mi_zalloc(layout.size()) }.cast();
        }
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
        if is_usual(new_size, layout.align()) {
            // SAFETY: a block of mimalloc, which the caller promises.
            return unsafe { sys::mi_realloc(ptr.cast(), new_size) }.cast();
        }
        // SAFETY: forwarded from the caller.
        unsafe { MiMalloc.realloc(ptr, layout, new_size) }
    }
}

impl Sealed for RustfsMimalloc {}

// SAFETY: `GlobalAlloc` is forwarded, and mimalloc's functions do not unwind.
unsafe impl Provider for RustfsMimalloc {
    fn name(&self) -> &'static str {
        "rustfs-mimalloc"
    }

    unsafe fn usable_size(&self, ptr: *mut u8, _layout: Layout) -> Option<usize> {
        // SAFETY: `usable_size` wants a block of mimalloc, which the caller promises.
        Some(unsafe { MiMalloc::usable_size(ptr) })
    }

    fn good_size_function(&self) -> Option<fn(usize) -> usize> {
        Some(good_size)
    }

    fn stats(&self) -> ProviderStats {
        let mut stats = ProviderStats::default();
        // The current resident size beside it is not used: on Linux mimalloc fills it with this same figure.
        stats.committed = Some(MiMalloc::process_info().current_commit as u64);
        stats
    }

    fn stats_function(&self) -> Option<fn() -> ProviderStats> {
        Some(|| Self::INSTANCE.stats())
    }

    /// Collects the calling thread's heap and gives free pages back; other threads' heaps give theirs back
    /// when those threads next allocate.
    fn purge(&self) -> bool {
        MiMalloc::collect(true);
        MiMalloc::arenas_purge();
        true
    }

    fn purge_function(&self) -> Option<fn() -> bool> {
        Some(|| Self::INSTANCE.purge())
    }
}

/// What a block of mimalloc 3 has.
///
/// `mi_good_size` rounds all large sizes to pages, but `mi_huge_page_alloc` takes as much as `_mi_os_good_alloc_size` says:
/// that is the table here.
fn good_size(size: usize) -> usize {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    let unit = match size {
        ..0x8_0000 => return MiMalloc::good_size(size),
        0x8_0000..0x20_0000 => 64 * KIB,
        0x20_0000..0x80_0000 => 256 * KIB,
        0x80_0000..0x200_0000 => MIB,
        _ => 4 * MIB,
    };
    size.checked_next_multiple_of(unit).unwrap_or(size)
}

impl ConstProvider for RustfsMimalloc {
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
                let block = RustfsMimalloc.alloc(layout);
                assert_eq!(block.addr() % align, 0);
                let usable = RustfsMimalloc.usable_size(block, layout);
                RustfsMimalloc.dealloc(block, layout);
                usable
            };
            assert!(usable.is_some_and(|usable| usable >= size), "{size} {align} {usable:?}");
        }
    }

    #[test]
    fn a_large_block_shows_in_the_figures() {
        let layout = Layout::from_size_align(BIG, 16).unwrap();
        let before = RustfsMimalloc.stats();
        // SAFETY: the layout is not empty, and the block is live until `dealloc`.
        let during = unsafe {
            let block = RustfsMimalloc.alloc_zeroed(layout);
            let during = RustfsMimalloc.stats();
            RustfsMimalloc.dealloc(block, layout);
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
        assert!(RustfsMimalloc.purge());
        assert_eq!(RustfsMimalloc.name(), "rustfs-mimalloc");
    }
}
