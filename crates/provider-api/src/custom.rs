//! A provider made of anybody's allocator.

// unsafe: forwards `GlobalAlloc`, whose methods are unsafe to implement and to call.
#![allow(unsafe_code)]

use core::alloc::{GlobalAlloc, Layout};

use crate::{Provider, provider::sealed::Sealed};

/// Any [`GlobalAlloc`] as a provider: it has a name, and nothing is known about its statistics.
#[derive(Debug)]
pub struct Custom<A> {
    name: &'static str,
    allocator: A,
}

impl<A> Custom<A> {
    /// Wraps `allocator`; profiles show it as `name`.
    pub const fn new(name: &'static str, allocator: A) -> Self {
        Self { name, allocator }
    }

    /// The wrapped allocator.
    pub const fn get(&self) -> &A {
        &self.allocator
    }
}

// SAFETY: each call is the same call of the wrapped allocator, which keeps the contract.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Custom<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.dealloc(ptr, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: forwarded from the caller.
        unsafe { self.allocator.realloc(ptr, layout, new_size) }
    }
}

impl<A> Sealed for Custom<A> {}

// SAFETY: `GlobalAlloc` is forwarded; the name is a field, which cannot unwind.
unsafe impl<A: GlobalAlloc + Sync> Provider for Custom<A> {
    fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::cell::RefCell;
    use std::{vec, vec::Vec};

    use super::*;
    use crate::ProviderStats;

    #[derive(Debug, PartialEq)]
    enum Call {
        Alloc(Layout),
        AllocZeroed(Layout),
        Dealloc(usize, Layout),
        Realloc(usize, Layout, usize),
    }

    /// Answers made-up addresses and remembers what it was asked.
    #[derive(Default)]
    struct Recording(RefCell<Vec<Call>>);

    impl Recording {
        fn answer(&self, call: Call, address: usize) -> *mut u8 {
            self.0.borrow_mut().push(call);
            core::ptr::without_provenance_mut(address)
        }
    }

    // SAFETY: no block that it answers is ever read or written by these tests.
    unsafe impl GlobalAlloc for Recording {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            self.answer(Call::Alloc(layout), 0x1000)
        }
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            self.answer(Call::AllocZeroed(layout), 0x2000)
        }
        unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
            self.answer(Call::Dealloc(ptr.addr(), layout), 0);
        }
        unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            self.answer(Call::Realloc(ptr.addr(), layout, new_size), 0x3000)
        }
    }

    #[test]
    fn each_call_is_the_same_call_of_the_wrapped_allocator() {
        let custom = Custom::new("recording", Recording::default());
        let layout = Layout::from_size_align(48, 16).unwrap();
        // SAFETY: the layout is not empty; the recording allocator looks at no block.
        unsafe {
            assert_eq!(custom.alloc(layout).addr(), 0x1000);
            let block = custom.alloc_zeroed(layout);
            assert_eq!(block.addr(), 0x2000);
            let moved = custom.realloc(block, layout, 96);
            assert_eq!(moved.addr(), 0x3000);
            custom.dealloc(moved, layout);
        }
        let expected = vec![
            Call::Alloc(layout),
            Call::AllocZeroed(layout),
            Call::Realloc(0x2000, layout, 96),
            Call::Dealloc(0x3000, layout),
        ];
        assert_eq!(*custom.get().0.borrow(), expected);
    }

    #[test]
    fn it_has_a_name_and_knows_nothing_else() {
        let custom = Custom::new("mine", std::alloc::System);
        assert_eq!(custom.name(), "mine");
        assert_eq!(custom.stats(), ProviderStats::default());
        assert!(!custom.purge());
        assert_eq!(custom.good_size(24), None);
        let layout = Layout::new::<u64>();
        // SAFETY: the layout is not empty, and the block is live until `dealloc`.
        unsafe {
            let block = custom.alloc(layout);
            assert_eq!(custom.usable_size(block, layout), None);
            custom.dealloc(block, layout);
        }
    }
}
