//! The first bytes of a loaded module: the headers of its file, and some of what comes behind them.

// unsafe: reads loaded modules; takes headers out of bytes.
#![allow(unsafe_code)]

use std::{ops::Range, ptr};

/// Bytes that are kept. The headers of a module with a dozen segments take 700.
const HEAD: usize = 1024;

/// The first bytes of a module, copied. Zero bytes are an empty one.
#[repr(C, align(8))]
#[derive(Debug)]
pub(super) struct ModuleHead {
    bytes: [u8; HEAD],
    /// How many are as in the file; zero where the module does not begin with its headers.
    length: usize,
}

impl ModuleHead {
    /// Fills an empty one with the head of the module that starts at an address.
    ///
    /// # Safety
    ///
    /// The module stays loaded during the call.
    pub(super) unsafe fn fill(&mut self, start: usize) {
        if is_readable(start) {
            // SAFETY: within the first page of the module, which can be read.
            self.bytes = *unsafe { &*ptr::with_exposed_provenance::<[u8; HEAD]>(start) };
            self.length = self.constant();
        }
    }

    /// How much stays as it is in the file: all of it, if the program cannot write there.
    fn constant(&self) -> usize {
        let headers = self.headers();
        let is_first = |header: &&libc::Elf64_Phdr| header.p_type == libc::PT_LOAD && header.p_offset == 0;
        match headers.iter().find(is_first) {
            Some(first) if first.p_flags & libc::PF_W == 0 => HEAD,
            Some(_) => headers.as_ptr_range().end.addr() - self.bytes.as_ptr().addr(),
            None => 0,
        }
    }

    /// What is as in the file.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// The program headers, if they are in the head, as those of all usual libraries are.
    pub(super) fn headers(&self) -> &[libc::Elf64_Phdr] {
        // SAFETY: any bytes are a header; it may lie anywhere.
        let file = unsafe { self.bytes.as_ptr().cast::<libc::Elf64_Ehdr>().read_unaligned() };
        let [first, count] = [file.e_phoff as usize, file.e_phnum.into()];
        let end = count.checked_mul(size_of::<libc::Elf64_Phdr>()).and_then(|bytes| bytes.checked_add(first));
        let is_elf = file.e_ident.starts_with(b"\x7fELF\x02\x01")
            && usize::from(file.e_phentsize) == size_of::<libc::Elf64_Phdr>();
        if !is_elf || !first.is_multiple_of(8) || end.is_none_or(|end| end > HEAD) {
            return &[];
        }
        // SAFETY: inside the head, which is aligned as a word; any bytes are headers.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().add(first).cast(), count) }
    }

    /// The header of this kind.
    pub(super) fn header(&self, kind: u32) -> Option<&libc::Elf64_Phdr> {
        self.headers().iter().find(|header| header.p_type == kind)
    }

    /// Where in the file's part of a readable segment a part of the module is, as virtual addresses.
    pub(super) fn readable(&self, part: &libc::Elf64_Phdr) -> Option<Range<usize>> {
        let is_in = |segment: &&libc::Elf64_Phdr| {
            let start = part.p_vaddr.checked_sub(segment.p_vaddr);
            let end = start.and_then(|start| start.checked_add(part.p_memsz));
            segment.p_type == libc::PT_LOAD
                && segment.p_flags & libc::PF_R != 0
                && end.is_some_and(|end| end <= segment.p_filesz)
        };
        self.headers().iter().find(is_in)?;
        let start = part.p_vaddr as usize;
        Some(start..start.checked_add(part.p_memsz as usize)?)
    }
}

/// Whether the word at an address can be read. Asks the kernel, by a call that fails in either case: with EFAULT only
/// where it cannot read the set of signals at the address, which it looks at before what to do with it
/// (rt_sigprocmask(2)).
fn is_readable(address: usize) -> bool {
    const NOTHING_TO_DO: usize = usize::MAX;
    let set = ptr::with_exposed_provenance::<u64>(address);
    let old = ptr::null_mut::<u64>();
    // SAFETY: the error number of this thread.
    let error = unsafe { &mut *libc::__errno_location() };
    let before = *error;
    // SAFETY: the kernel reads eight bytes, or refuses; it changes nothing.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NOTHING_TO_DO, set, old, size_of::<u64>()) };
    // The program may be about to look at its own.
    std::mem::replace(error, before) != libc::EFAULT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::remembered::find_object::FindObject;

    fn empty() -> Box<ModuleHead> {
        Box::new(ModuleHead { bytes: [0; HEAD], length: 0 })
    }

    #[test]
    fn a_head_that_can_be_written_to_is_its_headers() {
        let mut head = empty();
        // SAFETY: the headers of this program are at its start.
        unsafe {
            let found = FindObject::load().and_then(|find| find.at(empty as *const () as usize));
            let Some(found) = found else { return };
            head.fill(found.start);
        }
        assert_eq!(head.bytes().len(), HEAD);
        let first = head.headers().iter().position(|header| header.p_type == libc::PT_LOAD).unwrap();
        let flags = head.headers().as_ptr().addr() - head.bytes.as_ptr().addr() + first * 56 + 4;
        head.bytes[flags] |= libc::PF_W as u8;
        assert_eq!(head.constant(), 64 + head.headers().len() * 56);
    }

    #[test]
    fn headers_that_are_none_are_not_read() {
        let mut head = empty();
        assert!(head.headers().is_empty() && head.constant() == 0);
        head.bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        head.bytes[32] = 64;
        head.bytes[54] = 56;
        for (count, length) in [(0, 0), (17, 17), (18, 0), (255, 0)] {
            head.bytes[56] = count;
            assert_eq!(head.headers().len(), length);
        }
        head.bytes[32..40].fill(0xff);
        assert!(head.headers().is_empty());
    }

    #[test]
    fn asks_whether_memory_can_be_read() {
        // SAFETY: the error number of this thread.
        let error = unsafe { &mut *libc::__errno_location() };
        *error = 7;
        assert!(is_readable(asks_whether_memory_can_be_read as *const () as usize & !7));
        assert!(!is_readable(8));
        assert_eq!(*error, 7);
    }
}
