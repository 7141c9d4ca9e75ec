//! The loader's list of objects, by `dl_iterate_phdr`.
//!
//! Unsafe because that function hands out raw pointers: to its own record, to the program headers, to the
//! name, and (through the headers) to the notes of the object. All of them are valid during the callback, as
//! the loader holds its lock then and cannot unload the object: dl_iterate_phdr(3).
//!
//! That lock is also why nothing in the callback allocates. An allocation may end up in a hook, and a hook
//! may need the loader, on this or on another thread. So the callback only copies into room that was reserved
//! before; when the room is too small the walk is done again with twice as much.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

use super::{LoadedMapping, build_id, hexadecimal};
use crate::Mapping;

pub(super) fn read() -> Vec<LoadedMapping> {
    let (mut segments, mut bytes) = (64, 8 * 1024);
    loop {
        let mut walk = Walk::new(segments, bytes);
        // SAFETY: the callback has the signature that dl_iterate_phdr(3) asks for, and `walk`, which it
        // receives as its data, outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut walk).cast()) };
        if !walk.full {
            return walk.mappings();
        }
        (segments, bytes) = (segments * 2, bytes * 2);
    }
}

/// What the walk has seen so far; texts are ranges of `bytes`.
struct Walk {
    segments: Vec<Segment>,
    bytes: Vec<u8>,
    objects: usize,
    full: bool,
}

struct Segment {
    object: usize,
    bias: u64,
    vaddr: u64,
    len: u64,
    offset: u64,
    path: Range<usize>,
    build_id: Range<usize>,
}

impl Walk {
    fn new(segments: usize, bytes: usize) -> Self {
        Self {
            segments: Vec::with_capacity(segments),
            bytes: Vec::with_capacity(bytes),
            objects: 0,
            full: false,
        }
    }

    /// Copies a text; `None`, and the walk is marked as full, when there is no room.
    fn keep(&mut self, text: &[u8]) -> Option<Range<usize>> {
        let start = self.bytes.len();
        if self.bytes.capacity() - start < text.len() {
            self.full = true;
            return None;
        }
        self.bytes.extend_from_slice(text);
        Some(start..self.bytes.len())
    }

    fn visit(&mut self, info: &libc::dl_phdr_info) -> Option<()> {
        if info.dlpi_phdr.is_null() {
            return Some(());
        }
        // SAFETY: `dlpi_phdr` points to an array of `dlpi_phnum` headers, dl_iterate_phdr(3).
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let name = if info.dlpi_name.is_null() {
            &[]
        } else {
            // SAFETY: `dlpi_name` is a null-terminated string, dl_iterate_phdr(3).
            unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes()
        };
        let path = self.keep(name)?;
        let build_id = self.keep(object_build_id(info.dlpi_addr, headers))?;
        for header in headers {
            if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_X == 0 || header.p_memsz == 0 {
                continue;
            }
            if self.segments.len() == self.segments.capacity() {
                self.full = true;
                return None;
            }
            self.segments.push(Segment {
                object: self.objects,
                bias: info.dlpi_addr,
                vaddr: header.p_vaddr,
                len: header.p_memsz,
                offset: header.p_offset,
                path: path.clone(),
                build_id: build_id.clone(),
            });
        }
        self.objects += 1;
        Some(())
    }

    fn mappings(self) -> Vec<LoadedMapping> {
        let text = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        let load = |segment: &Segment| {
            // The loader lists the main program first and gives it no name.
            let main = segment.object == 0;
            let path =
                if main { program() } else { String::from_utf8_lossy(text(&segment.path)).into_owned() };
            let start = segment.bias.wrapping_add(segment.vaddr);
            let build_id = text(&segment.build_id);
            let mapping = Mapping {
                start,
                limit: start.saturating_add(segment.len),
                offset: segment.offset,
                path,
                build_id: (!build_id.is_empty()).then(|| hexadecimal(build_id)),
                ..Mapping::default()
            };
            LoadedMapping { mapping, bias: segment.bias, main, recorded: None }
        };
        self.segments.iter().map(load).collect()
    }
}

/// The callback of `dl_iterate_phdr`: a null return goes on, any other ends the walk.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, walk: *mut c_void) -> c_int {
    // SAFETY: both are valid and not used by anybody else during the call: the loader's record, and the
    // `Walk` that `read` passed.
    let (info, walk) = unsafe { (&*info, &mut *walk.cast::<Walk>()) };
    c_int::from(walk.visit(info).is_none())
}

/// The build id among the notes of an object; empty when there is none.
fn object_build_id(bias: u64, headers: &[libc::Elf64_Phdr]) -> &[u8] {
    let loaded = |note: &libc::Elf64_Phdr| {
        headers.iter().any(|load| {
            let end =
                note.p_vaddr.checked_sub(load.p_vaddr).and_then(|start| start.checked_add(note.p_memsz));
            load.p_type == libc::PT_LOAD
                && load.p_flags & libc::PF_R != 0
                && end.is_some_and(|end| end <= load.p_filesz)
        })
    };
    for note in headers.iter().filter(|header| header.p_type == libc::PT_NOTE && loaded(header)) {
        let address = bias.wrapping_add(note.p_vaddr) as *const u8;
        // SAFETY: the range lies in the file's part of a readable segment of this object (`loaded`), which
        // stays mapped during the callback; the loader does not write to it. Callers hold the headers of the
        // object, so the borrow ends with the callback.
        let notes = unsafe { std::slice::from_raw_parts(address, note.p_memsz as usize) };
        if let Some(build_id) = build_id::find(notes, note.p_align) {
            return build_id;
        }
    }
    &[]
}

/// The path of this program. The kernel marks one whose file was replaced or removed; the mark is no part of
/// the path.
fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let path = path.to_string_lossy();
    path.strip_suffix(" (deleted)").unwrap_or(&path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_again_with_more_room() {
        let mut walk = Walk::new(1, 1);
        assert_eq!(walk.keep(b"/lib/x.so"), None);
        assert!(walk.full);
        let mut walk = Walk::new(1, 16);
        assert_eq!(walk.keep(b"/lib/x.so"), Some(0..9));
        assert!(!walk.full);
    }
}
