//! The contract of an allocator that the sampler wraps.

// unsafe: the trait is unsafe to implement, as `GlobalAlloc` is, and asks for a usable size by pointer.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};

use crate::ProviderStats;

/// An allocator that the sampler can wrap.
///
/// Sealed: it is implemented by the provider crates of this workspace, which are released together,
/// so that it can grow. For any other allocator use [`Custom`](crate::Custom):
///
/// ```
/// use allometer_provider::{Custom, Provider};
/// use std::alloc::System;
///
/// static PROVIDER: Custom<System> = Custom::new("my allocator", System);
/// assert_eq!(PROVIDER.name(), "my allocator");
/// ```
///
/// # Safety
///
/// The contract of [`GlobalAlloc`]. In addition no method unwinds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a provider of Allometer",
    label = "not a provider",
    note = "the `Provider` trait is sealed: wrap any other allocator as `Custom::new(\"its name\", allocator)`"
)]
pub unsafe trait Provider: GlobalAlloc + sealed::Sealed + Sync {
    /// The allocator's name as profiles show it: lower case, no version.
    fn name(&self) -> &'static str;

    /// How many bytes the block at `ptr` can hold, or `None` where the allocator cannot tell.
    ///
    /// # Safety
    ///
    /// `ptr` is a live block of this provider, allocated with `layout`.
    unsafe fn usable_size(&self, ptr: *mut u8, layout: Layout) -> Option<usize> {
        let _ = (ptr, layout);
        None
    }

    /// How many bytes a block has that is given for a request of `size` bytes: at least `size`, and what is over is the
    /// block's slack. `None` where the allocator cannot tell without having the block.
    ///
    /// It is for sizes that are not smaller than their alignment, and alignments of 16 bytes at most: nearly all requests of
    /// Rust programs. A block that was shrunk or grown where it is may have more.
    fn good_size(&self, size: usize) -> Option<usize> {
        self.good_size_function().map(|good_size| good_size(size))
    }

    /// [`Provider::good_size`] as [`Provider::stats_function`] is that of figures.
    fn good_size_function(&self) -> Option<fn(usize) -> usize> {
        None
    }

    /// What the allocator knows about itself now; every figure that it has not is `None`.
    fn stats(&self) -> ProviderStats {
        ProviderStats::default()
    }

    /// [`Provider::stats`] as a function that needs no provider, for who only knows that one of this kind is installed;
    /// `None` where the answer depends on the instance.
    fn stats_function(&self) -> Option<fn() -> ProviderStats> {
        None
    }

    /// Asks the allocator to give free memory back to the operating system.
    ///
    /// Answers whether the allocator has such a request at all. It may take long: tens of
    /// milliseconds for glibc.
    fn purge(&self) -> bool {
        false
    }

    /// [`Provider::purge`] as [`Provider::stats_function`] is that of figures; `None` also where there is no such request.
    fn purge_function(&self) -> Option<fn() -> bool> {
        None
    }
}

/// A provider with one constant instance, so that a wrapper over it needs no argument.
pub trait ConstProvider: Provider {
    /// The instance.
    const INSTANCE: Self;
}

#[doc(hidden)]
pub mod sealed {
    /// Named by this workspace's crates only.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not a provider of Allometer",
        label = "not a provider",
        note = "the `Provider` trait is sealed: wrap any other allocator as `Custom::new(\"its name\", allocator)`"
    )]
    pub trait Sealed {}
}
