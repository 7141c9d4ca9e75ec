//! The hook: forwards every call to the provider, charges it, and nothing else.

// unsafe: implements `GlobalAlloc`.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};

use allometer_provider::{ConstProvider, Provider};

use crate::{
    capture::Registers,
    epoch::Epoch,
    live::Look,
    probe::Request,
    process::PROCESS,
    reallocation::Reallocation,
    record::{Before, Granted},
    recorder::Pick,
    thread,
};

/// A provider, with the sampler in front of it: the program's `#[global_allocator]`.
///
/// ```
/// use allometer_core::SamplingAllocator;
/// use allometer_provider::Custom;
/// use std::alloc::System;
///
/// #[global_allocator]
/// static ALLOC: SamplingAllocator<Custom<System>> =
///     SamplingAllocator::with_provider(Custom::new("system", System));
/// ```
///
/// Each call reaches the same method of the provider, once, with the caller's own pointer and layout.
/// Without a session it costs a load and a branch.
#[derive(Debug, Default)]
pub struct SamplingAllocator<A> {
    provider: A,
}

impl<A> SamplingAllocator<A> {
    /// The sampler in front of `provider`.
    pub const fn with_provider(provider: A) -> Self {
        Self { provider }
    }

    /// The provider.
    pub const fn provider(&self) -> &A {
        &self.provider
    }
}

impl<A: ConstProvider> SamplingAllocator<A> {
    /// The sampler in front of the provider's one instance.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_provider(A::INSTANCE)
    }
}

impl<A: Provider> SamplingAllocator<A> {
    /// A request whose thread passed a mark, or is not in `epoch` yet.
    #[cold]
    #[inline(never)]
    unsafe fn alloc_slow(&self, layout: Layout, request: Request, epoch: Epoch) -> *mut u8 {
        let frame = Registers::here();
        thread::with(|thread| {
            PROCESS.recorder.answer_probe(thread, epoch, request, &self.provider, frame);
            let picked = PROCESS.recorder.pick(thread, epoch, layout.size());
            if PROCESS.recorder.refuses(thread, epoch, layout.size(), frame) {
                return std::ptr::null_mut();
            }
            let block = match request {
                // SAFETY: forwarded from the caller.
                Request::Zeroed => unsafe { self.provider.alloc_zeroed(layout) },
                // SAFETY: forwarded from the caller.
                _ => unsafe { self.provider.alloc(layout) },
            };
            if let Some(Pick { hold, doublings }) = picked
                && !block.is_null()
            {
                let granted = Granted { address: block.addr(), size: layout.size(), doublings, frame };
                if hold.tables().record(thread, granted, Before::Nothing) {
                    PROCESS.recorder.follow_table(&hold);
                }
            }
            block
        })
    }

    /// A block that may be followed, by a look at its cell. The size comes first, as with allocators that are told it: so the hook has
    /// nothing to move.
    #[cold]
    #[inline(never)]
    unsafe fn dealloc_slow(&self, block: *mut u8, size: usize, align: usize, look: Look) {
        if look.may_be_at(block.addr()) {
            PROCESS.recorder.freed(block.addr());
        }
        // SAFETY: the parts of a layout; forwarded from the caller.
        unsafe { self.provider.dealloc(block, Layout::from_size_align_unchecked(size, align)) };
    }

    /// A resize while a session is active.
    #[cold]
    #[inline(never)]
    unsafe fn realloc_in_session(
        &self,
        block: *mut u8,
        layout: Layout,
        size: usize,
        epoch: Epoch,
    ) -> *mut u8 {
        let due = thread::with(|thread| thread.charge(epoch, size));
        if due || !PROCESS.recorder.look(block.addr()).is_empty() {
            // SAFETY: forwarded from the caller.
            return unsafe { self.realloc_slow(block, layout, size, epoch, due) };
        }
        // SAFETY: forwarded from the caller.
        unsafe { self.provider.realloc(block, layout, size) }
    }

    /// A block that may be followed, or a request as in [`Self::alloc_slow`].
    #[cold]
    #[inline(never)]
    unsafe fn realloc_slow(
        &self,
        block: *mut u8,
        layout: Layout,
        size: usize,
        epoch: Epoch,
        due: bool,
    ) -> *mut u8 {
        let frame = Registers::here();
        thread::with(|thread| {
            PROCESS.recorder.answer_probe(thread, epoch, Request::Realloc, &self.provider, frame);
            let reallocation = PROCESS.recorder.reallocating(thread, epoch, block.addr(), size, due);
            if PROCESS.recorder.refuses(thread, epoch, size, frame) {
                reallocation.into_iter().for_each(Reallocation::failed);
                return std::ptr::null_mut();
            }
            // SAFETY: forwarded from the caller.
            let new = unsafe { self.provider.realloc(block, layout, size) };
            if let Some(reallocation) = reallocation {
                if new.is_null() {
                    reallocation.failed();
                } else {
                    let (hold, is_ahead) = reallocation.succeeded(thread, new.addr(), size, frame);
                    if is_ahead {
                        PROCESS.recorder.follow_table(&hold);
                    }
                }
            }
            new
        })
    }
}

// SAFETY: every call is the same call of the provider, which keeps the contract; what is done beside it
// neither unwinds nor touches the block.
unsafe impl<A: Provider> GlobalAlloc for SamplingAllocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let epoch = PROCESS.recorder.epoch();
        if epoch != Epoch::NONE && thread::with(|thread| thread.charge(epoch, layout.size())) {
            // SAFETY: forwarded from the caller.
            return unsafe { self.alloc_slow(layout, Request::Alloc, epoch) };
        }
        // SAFETY: forwarded from the caller.
        unsafe { self.provider.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let epoch = PROCESS.recorder.epoch();
        if epoch != Epoch::NONE && thread::with(|thread| thread.charge(epoch, layout.size())) {
            // SAFETY: forwarded from the caller.
            return unsafe { self.alloc_slow(layout, Request::Zeroed, epoch) };
        }
        // SAFETY: forwarded from the caller.
        unsafe { self.provider.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let look = PROCESS.recorder.look(block.addr());
        if !look.is_empty() {
            // SAFETY: forwarded from the caller.
            return unsafe { self.dealloc_slow(block, layout.size(), layout.align(), look) };
        }
        // SAFETY: forwarded from the caller.
        unsafe { self.provider.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // One test, and not the filter's as well: this is the largest of the four, and the compiler inlines it
        // where vectors grow. Whoever was given a followed block has been given its session's epoch, too.
        let epoch = PROCESS.recorder.epoch();
        if epoch != Epoch::NONE {
            // SAFETY: forwarded from the caller.
            return unsafe { self.realloc_in_session(block, layout, size, epoch) };
        }
        // SAFETY: forwarded from the caller.
        unsafe { self.provider.realloc(block, layout, size) }
    }
}
