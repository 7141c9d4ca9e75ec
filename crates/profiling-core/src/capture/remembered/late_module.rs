//! A library that can be unloaded, and how it is known again.

// unsafe: reads loaded modules; takes headers out of bytes.
#![allow(unsafe_code)]

use std::{ops::Range, ptr};

use allometer_profile::{FilePiece, RecordedModule, RecordedSegment, find_build_id};

use super::find_object::Found;

/// What is kept of a module: enough to tell it from every other one that may come to its addresses, and to say later
/// what was there. Zero bytes are an empty one.
///
/// Modules with a build id are told apart by that. For those without one it is the head of the file, with its headers
/// and the first of its symbols, and the first of the index of unwind tables, so two builds of a file under one path
/// count as one module if they differ further behind only.
#[repr(C)]
pub(super) struct LateModule {
    start: usize,
    end: usize,
    bias: usize,
    /// `.eh_frame_hdr`, or zero.
    index: usize,
    path: [u8; PATH],
    /// Of the whole path, of which the end is kept.
    path_length: usize,
    head: [u8; HEAD],
    /// Zero where the module does not begin with its headers.
    head_length: usize,
    first_of_index: [u8; FIRST_OF_INDEX],
    first_of_index_length: usize,
    build_id: [u8; BUILD_ID],
    build_id_length: usize,
    /// Where in memory the build id is.
    build_id_at: usize,
}

const PAGE: usize = 4096;
/// Bytes of the first page that are kept. The headers of a module with a dozen segments take 700.
const HEAD: usize = 1024;
const PATH: usize = 512;
const FIRST_OF_INDEX: usize = 128;
/// Longest build id that is known: those of linkers have 8 to 32 bytes.
const BUILD_ID: usize = 64;

impl LateModule {
    /// Fills an empty one.
    ///
    /// # Safety
    ///
    /// The module that was found stays loaded during the call.
    pub(super) unsafe fn fill(&mut self, found: &Found) {
        // SAFETY: forwarded from the caller.
        let (bias, path) = unsafe { (found.bias(), found.path()) };
        (self.start, self.end, self.bias, self.index) = (found.start, found.end, bias, found.index);
        let kept = &path[path.len().saturating_sub(PATH)..];
        self.path[..kept.len()].copy_from_slice(kept);
        self.path_length = path.len();
        if !is_readable(self.start) {
            return;
        }
        // SAFETY: within the first page of the module, which can be read.
        self.head = *unsafe { &*ptr::with_exposed_provenance::<[u8; HEAD]>(self.start) };
        self.head_length = self.constant_head();
        // SAFETY: the headers are those of this module.
        unsafe {
            self.keep_build_id();
            self.keep_index();
        }
    }

    /// How much of the head stays as it is in the file: all of it, if the program cannot write there.
    fn constant_head(&self) -> usize {
        let headers = self.headers();
        let is_first = |header: &&libc::Elf64_Phdr| header.p_type == libc::PT_LOAD && header.p_offset == 0;
        match headers.iter().find(is_first) {
            Some(first) if first.p_flags & libc::PF_W == 0 => HEAD,
            Some(_) => headers.as_ptr_range().end.addr() - self.head.as_ptr().addr(),
            None => 0,
        }
    }

    /// # Safety
    ///
    /// The module is loaded, and its headers are kept.
    unsafe fn keep_build_id(&mut self) {
        let found = self.headers().iter().find_map(|note| {
            let memory = self.memory(note).filter(|_| note.p_type == libc::PT_NOTE)?;
            // SAFETY: by the headers it is part of a segment that is readable; the loader does not write to it.
            let notes = unsafe { slice(&memory) };
            let build_id = find_build_id(notes, note.p_align).filter(|id| id.len() <= BUILD_ID)?;
            Some((build_id.as_ptr().addr(), build_id.len()))
        });
        if let Some((at, length)) = found {
            // SAFETY: part of the notes.
            self.build_id[..length].copy_from_slice(unsafe { slice(&(at..at + length)) });
            (self.build_id_at, self.build_id_length) = (at, length);
        }
    }

    /// # Safety
    ///
    /// As above.
    unsafe fn keep_index(&mut self) {
        let is_index = |memory: &Range<usize>| memory.start == self.index;
        let index = self.headers().iter().find_map(|header| {
            self.memory(header).filter(|_| header.p_type == libc::PT_GNU_EH_FRAME).filter(is_index)
        });
        if let Some(index) = index {
            let length = index.len().min(FIRST_OF_INDEX);
            // SAFETY: by the headers it is part of a segment that is readable.
            self.first_of_index[..length]
                .copy_from_slice(unsafe { slice(&(index.start..index.start + length)) });
            self.first_of_index_length = length;
        }
    }

    /// Whether it is this module that was found.
    ///
    /// # Safety
    ///
    /// The module that was found stays loaded during the call.
    #[inline(always)]
    pub(super) unsafe fn is(&self, found: &Found) -> bool {
        // SAFETY: forwarded from the caller.
        let (bias, path) = unsafe { (found.bias(), found.path()) };
        let is_there = (self.start, self.end) == (found.start, found.end)
            && (self.bias, self.index) == (bias, found.index)
            && self.path_length == path.len()
            && self.kept_path() == &path[path.len() - self.kept_path().len()..];
        // SAFETY: forwarded from the caller.
        is_there && unsafe { self.is_in_memory() }
    }

    /// Whether memory holds what it held when this was filled.
    ///
    /// # Safety
    ///
    /// A module is loaded at the same addresses, and was found at this path.
    #[inline(always)]
    unsafe fn is_in_memory(&self) -> bool {
        let build_id = self.build_id_at..self.build_id_at + self.build_id_length;
        if self.is_known_by_first_page() {
            // SAFETY: in the first page of the module that is loaded.
            return unsafe { slice(&build_id) } == self.build_id();
        }
        let head = self.start..self.start + self.head_length;
        let index = self.index..self.index + self.first_of_index_length;
        // SAFETY: the head is in the first page. With the same headers the same parts of a module can be read.
        unsafe {
            slice(&head) == &self.head[..self.head_length]
                && slice(&index) == &self.first_of_index[..self.first_of_index_length]
                && slice(&build_id) == self.build_id()
        }
    }

    /// Whether it has a build id where one looks without knowing the headers.
    #[inline(always)]
    fn is_known_by_first_page(&self) -> bool {
        let page = self.start..self.start + PAGE;
        self.build_id_length != 0
            && page.contains(&self.build_id_at)
            && self.build_id_at + self.build_id_length <= page.end
    }

    /// Whether no other module is taken for this one.
    pub(super) fn is_certain(&self) -> bool {
        self.build_id_length != 0
    }

    fn build_id(&self) -> &[u8] {
        &self.build_id[..self.build_id_length]
    }

    fn kept_path(&self) -> &[u8] {
        &self.path[..self.path_length.min(PATH)]
    }

    /// The program headers, if they are in the head, as those of all usual libraries are.
    fn headers(&self) -> &[libc::Elf64_Phdr] {
        // SAFETY: any bytes are a header; it may lie anywhere.
        let file = unsafe { self.head.as_ptr().cast::<libc::Elf64_Ehdr>().read_unaligned() };
        let [first, count] = [file.e_phoff as usize, file.e_phnum.into()];
        let end = count.checked_mul(size_of::<libc::Elf64_Phdr>()).and_then(|bytes| bytes.checked_add(first));
        let is_elf = file.e_ident.starts_with(b"\x7fELF\x02\x01")
            && usize::from(file.e_phentsize) == size_of::<libc::Elf64_Phdr>();
        if !is_elf || !first.is_multiple_of(8) || end.is_none_or(|end| end > HEAD) {
            return &[];
        }
        // SAFETY: inside the head, which is aligned as a word; any bytes are headers.
        unsafe { std::slice::from_raw_parts(self.head.as_ptr().add(first).cast(), count) }
    }

    /// Where in memory the part is that a header tells of, if it is in the file's part of a readable segment.
    fn memory(&self, part: &libc::Elf64_Phdr) -> Option<Range<usize>> {
        let is_in = |segment: &&libc::Elf64_Phdr| {
            let start = part.p_vaddr.checked_sub(segment.p_vaddr);
            let end = start.and_then(|start| start.checked_add(part.p_memsz));
            segment.p_type == libc::PT_LOAD
                && segment.p_flags & libc::PF_R != 0
                && end.is_some_and(|end| end <= segment.p_filesz)
        };
        self.headers().iter().find(is_in)?;
        let start = self.bias.wrapping_add(part.p_vaddr as usize);
        let memory = start..start.checked_add(part.p_memsz as usize)?;
        (self.start <= memory.start && memory.end <= self.end).then_some(memory)
    }

    /// For a profile.
    pub(super) fn record(&self) -> RecordedModule {
        let path = self.kept_path();
        let is_whole = path.len() == self.path_length;
        let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let piece = |offset, bytes: &[u8]| FilePiece { offset, bytes: bytes.to_vec() };
        let headers = || self.headers().iter();
        let index = headers().find(|header| header.p_type == libc::PT_GNU_EH_FRAME);
        let head = &self.head[..self.head_length];
        let contents = match index {
            _ if self.head_length == 0 => Vec::new(),
            Some(index) if self.first_of_index_length != 0 => {
                let first_of_index = &self.first_of_index[..self.first_of_index_length];
                vec![piece(0, head), piece(index.p_offset, first_of_index)]
            }
            _ => vec![piece(0, head)],
        };
        let is_code = |header: &&libc::Elf64_Phdr| {
            header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0 && header.p_memsz != 0
        };
        let segment = |header: &libc::Elf64_Phdr| {
            let start = (self.bias as u64).wrapping_add(header.p_vaddr);
            RecordedSegment {
                addresses: start..start.saturating_add(header.p_memsz),
                offset: header.p_offset,
            }
        };
        RecordedModule {
            path: String::from_utf8_lossy(if is_whole { path } else { last }).into_owned(),
            bias: self.bias as u64,
            segments: headers().filter(is_code).map(segment).collect(),
            build_id: (self.build_id_length != 0).then(|| self.build_id().to_vec()),
            contents,
        }
    }
}

/// # Safety
///
/// The addresses are readable, and what is there does not change as long as the slice is used.
#[inline(always)]
unsafe fn slice<'a>(memory: &Range<usize>) -> &'a [u8] {
    if memory.is_empty() {
        return &[];
    }
    // SAFETY: forwarded from the caller.
    unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance(memory.start), memory.len()) }
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

    fn empty() -> Box<LateModule> {
        // SAFETY: zero bytes are an empty one.
        unsafe { Box::<LateModule>::new_zeroed().assume_init() }
    }

    /// The module that a function of the C library is in, which stays, as if it could go.
    fn c_library() -> Option<(Found, Box<LateModule>)> {
        let found = FindObject::load()?.at(libc::dlsym as *const () as usize)?;
        let mut module = empty();
        // SAFETY: it stays.
        unsafe { module.fill(&found) };
        Some((found, module))
    }

    #[test]
    fn is_the_one_that_was_found() {
        let Some((found, module)) = c_library() else { return };
        // SAFETY: the C library stays.
        unsafe {
            assert!(module.is(&found) && !empty().is(&found));
        }
        let record = module.record();
        assert!(record.path.starts_with('/') && record.segments.len() == 1, "{record:?}");
        let file = std::fs::read(&record.path).unwrap();
        assert_eq!(record.contents.len(), 2);
        for piece in record.contents {
            assert!(file[piece.offset as usize..].starts_with(&piece.bytes));
        }
    }

    #[test]
    fn another_one_differs_in_something() {
        let changes: [fn(&mut LateModule); 4] = [
            |module| module.end += PAGE,
            |module| module.path[3] ^= 1,
            |module| module.build_id[0] ^= 1,
            |module| (module.build_id_length, module.head[HEAD - 1]) = (0, !module.head[HEAD - 1]),
        ];
        for change in changes {
            let Some((found, mut module)) = c_library() else { return };
            change(&mut module);
            // SAFETY: the C library stays.
            assert!(!unsafe { module.is(&found) });
        }
        let Some((found, mut module)) = c_library() else { return };
        module.build_id_length = 0;
        // SAFETY: the C library stays.
        assert!(unsafe { module.is(&found) }, "known by its head");
        module.first_of_index[FIRST_OF_INDEX - 1] ^= 1;
        // SAFETY: the C library stays.
        assert!(!unsafe { module.is(&found) });
    }

    #[test]
    fn headers_that_are_none_are_not_read() {
        let mut module = empty();
        assert!(module.headers().is_empty() && module.constant_head() == 0);
        module.head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        module.head[32] = 64;
        module.head[54] = 56;
        for (count, length) in [(0, 0), (17, 17), (18, 0), (255, 0)] {
            module.head[56] = count;
            assert_eq!(module.headers().len(), length);
        }
        module.head[32..40].fill(0xff);
        assert!(module.headers().is_empty());
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
