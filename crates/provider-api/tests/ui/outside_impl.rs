//! An attempt to implement the sealed trait.

use std::alloc::{GlobalAlloc, Layout};

use allometer_provider::Provider;

struct Mine;

unsafe impl GlobalAlloc for Mine {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        std::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

unsafe impl Provider for Mine {
    fn name(&self) -> &'static str {
        "mine"
    }
}

fn main() {}
