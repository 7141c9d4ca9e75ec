//! A library that can be unloaded, and how it is known again.

// unsafe: reads loaded modules.
#![allow(unsafe_code)]

use std::{ops::Range, ptr};

use allometer_profile::{FilePiece, RecordedModule, RecordedSegment, find_build_id};

use super::{find_object::Found, module_head::ModuleHead};

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
    head: ModuleHead,
    first_of_index: [u8; FIRST_OF_INDEX],
    first_of_index_length: usize,
    build_id: [u8; BUILD_ID],
    build_id_length: usize,
    /// Where in memory the build id is.
    build_id_at: usize,
}

const PAGE: usize = 4096;
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
        // SAFETY: forwarded from the caller.
        unsafe { self.head.fill(self.start) };
        // SAFETY: the headers are those of this module.
        unsafe {
            self.keep_build_id();
            self.keep_index();
        }
    }

    /// # Safety
    ///
    /// The module is loaded, and its headers are kept.
    unsafe fn keep_build_id(&mut self) {
        let found = self.head.headers().iter().find_map(|note| {
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
        let index = self.head.header(libc::PT_GNU_EH_FRAME).and_then(|index| self.memory(index));
        let index = index.filter(|index| index.start == self.index);
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
        let head = self.start..self.start + self.head.bytes().len();
        let index = self.index..self.index + self.first_of_index_length;
        // SAFETY: the head is in the first page. With the same headers the same parts of a module can be read.
        unsafe {
            slice(&head) == self.head.bytes()
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

    /// Where in memory a part is that can be read.
    fn memory(&self, part: &libc::Elf64_Phdr) -> Option<Range<usize>> {
        let part = self.head.readable(part)?;
        let memory = self.bias.wrapping_add(part.start)..self.bias.wrapping_add(part.end);
        (self.start <= memory.start && memory.start <= memory.end && memory.end <= self.end).then_some(memory)
    }

    /// For a profile.
    pub(super) fn record(&self) -> RecordedModule {
        let path = self.kept_path();
        let is_whole = path.len() == self.path_length;
        let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let piece = |offset, bytes: &[u8]| FilePiece { offset, bytes: bytes.to_vec() };
        let head = self.head.bytes();
        let contents = match self.head.header(libc::PT_GNU_EH_FRAME) {
            _ if head.is_empty() => Vec::new(),
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
                align: header.p_align,
            }
        };
        RecordedModule {
            path: String::from_utf8_lossy(if is_whole { path } else { last }).into_owned(),
            bias: self.bias as u64,
            segments: self.head.headers().iter().filter(is_code).map(segment).collect(),
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
            |module| (module.build_id_length, module.first_of_index[0]) = (0, !module.first_of_index[0]),
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
}
