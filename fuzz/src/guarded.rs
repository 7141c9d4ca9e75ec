// unsafe: maps memory and writes to it.

use std::ops::Range;
use std::ptr;

/// Memory at a fixed address, so that an input means the same in each run. What is around it cannot be read, so
/// that reading beyond it is a crash.
pub struct Guarded {
    range: Range<usize>,
}

const PAGE: usize = 4096;

impl Guarded {
    /// So many pages from `start` on, which is a multiple of a page.
    pub fn new(start: usize, pages: usize) -> Self {
        let length = pages * PAGE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        let around = ptr::with_exposed_provenance_mut(start - PAGE);
        // SAFETY: no mapping is replaced (mmap(2)).
        let mapped = unsafe { libc::mmap(around, length + 2 * PAGE, libc::PROT_NONE, flags, -1, 0) };
        assert_eq!(mapped, around, "the addresses are taken");
        // SAFETY: the pages between the two outermost ones (mprotect(2)).
        let opened = unsafe {
            libc::mprotect(around.wrapping_byte_add(PAGE), length, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(opened, 0);
        Self { range: start..start + length }
    }

    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Writes as many of the bytes as fit so that the last one is the last of the memory; answers where the first is.
    pub fn fill_to_end(&mut self, bytes: &[u8]) -> usize {
        let bytes = &bytes[..bytes.len().min(self.range.len())];
        let start = self.range.end - bytes.len();
        // SAFETY: within the memory, which nobody else uses.
        unsafe {
            let to = ptr::with_exposed_provenance_mut::<u8>(start);
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        start
    }
}
