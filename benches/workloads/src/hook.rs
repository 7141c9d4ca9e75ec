//! The four calls of the global allocator, each a function of its own that can be looked at.

/// Compiles the four calls of an allocator, `$allocator`, as functions of a module `hook`, with the arguments that
/// compiled programs call them with: so that what they consist of can be read in the program.
#[macro_export]
macro_rules! hook {
    ($allocator:ident) => {
        mod hook {
            use std::alloc::{GlobalAlloc, Layout};

            type Alloc = unsafe fn(usize, usize) -> *mut u8;
            type Dealloc = unsafe fn(*mut u8, usize, usize);
            type Realloc = unsafe fn(*mut u8, usize, usize, usize) -> *mut u8;

            /// Nobody calls them, so something has to hold them.
            #[used]
            static HELD: (Alloc, Alloc, Dealloc, Realloc) = (alloc, alloc_zeroed, dealloc, realloc);

            #[inline(never)]
            unsafe fn alloc(size: usize, align: usize) -> *mut u8 {
                // SAFETY: forwarded from the caller.
                unsafe { super::$allocator.alloc(Layout::from_size_align_unchecked(size, align)) }
            }

            #[inline(never)]
            unsafe fn alloc_zeroed(size: usize, align: usize) -> *mut u8 {
                // SAFETY: forwarded from the caller.
                unsafe { super::$allocator.alloc_zeroed(Layout::from_size_align_unchecked(size, align)) }
            }

            #[inline(never)]
            unsafe fn dealloc(block: *mut u8, size: usize, align: usize) {
                // SAFETY: forwarded from the caller.
                unsafe { super::$allocator.dealloc(block, Layout::from_size_align_unchecked(size, align)) }
            }

            #[inline(never)]
            unsafe fn realloc(block: *mut u8, size: usize, align: usize, new: usize) -> *mut u8 {
                // SAFETY: forwarded from the caller.
                unsafe {
                    super::$allocator.realloc(block, Layout::from_size_align_unchecked(size, align), new)
                }
            }
        }
    };
}
