//! The code that stays as long as the program, and where its unwind tables are.

// unsafe: asks the loader, and reads what it points to.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ops::Range,
    ptr,
};

use super::unwind_table::UnwindTable;

/// A module that was loaded when the program started, and therefore stays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Module {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) table: UnwindTable,
}

/// Most modules that are remembered; others count as libraries that can be unloaded.
pub(super) const MODULES: usize = 64;

/// The main program and the libraries that it needs, directly or not: nothing can unload those, while a
/// library that was loaded by hand can be gone, and another at its place, at any time.
pub(super) fn at_start_up() -> Vec<Module> {
    let mut loaded = Loaded { objects: Vec::with_capacity(MODULES) };
    // SAFETY: the callback has the signature that is asked for, and its data outlives the call
    // (dl_iterate_phdr(3)).
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut loaded).cast()) };
    let objects = loaded.objects;
    let mut needed = vec![0];
    let mut next = 0;
    while let Some(object) = needed.get(next).and_then(|at| objects.get(*at)) {
        // SAFETY: the main program, or needed by it: it stays loaded.
        for name in unsafe { names_needed(object) } {
            let found = objects.iter().position(|object| object.name() == name);
            if let Some(found) = found.filter(|found| !needed.contains(found)) {
                needed.push(found);
            }
        }
        next += 1;
    }
    needed.iter().filter_map(|at| Some(objects.get(*at)?.module)).collect()
}

/// How many libraries were ever unloaded. Asks the loader: not for a hook.
pub(super) fn unloads() -> u64 {
    unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, unloads: *mut c_void) -> c_int {
        // SAFETY: both are valid during the call: the loader's record, and what is passed below.
        unsafe { *unloads.cast::<u64>() = (*info).dlpi_subs };
        1
    }
    let mut unloads = 0u64;
    // SAFETY: as in `at_start_up`.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut unloads).cast()) };
    unloads
}

struct Loaded {
    objects: Vec<Object>,
}

/// What the loader says of a module, copied.
#[derive(Clone, Copy)]
struct Object {
    module: Module,
    bias: usize,
    dynamic: usize,
    /// The last part of its path.
    name: [u8; 64],
    name_length: usize,
}

impl Object {
    fn name(&self) -> &[u8] {
        &self.name[..self.name_length]
    }
}

/// Copies one module. The loader's lock is held, so nothing here allocates: there is room, or it ends.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, loaded: *mut c_void) -> c_int {
    // SAFETY: both are valid during the call: the loader's record, and what `at_start_up` passed.
    let (info, loaded) = unsafe { (&*info, &mut *loaded.cast::<Loaded>()) };
    if loaded.objects.len() == loaded.objects.capacity() || info.dlpi_phdr.is_null() {
        return 1;
    }
    // SAFETY: an array of so many headers (dl_iterate_phdr(3)).
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let path = if info.dlpi_name.is_null() {
        &[]
    } else {
        // SAFETY: a string with its null (dl_iterate_phdr(3)).
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes()
    };
    loaded.objects.push(object(info.dlpi_addr as usize, headers, path));
    0
}

fn object(bias: usize, headers: &[libc::Elf64_Phdr], path: &[u8]) -> Object {
    let at = |header: &libc::Elf64_Phdr| {
        let start = bias.wrapping_add(header.p_vaddr as usize);
        start..start.wrapping_add(header.p_memsz as usize)
    };
    let loads = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(at);
    let find = |kind| headers.iter().find(|header| header.p_type == kind).map(at);
    let index = find(libc::PT_GNU_EH_FRAME).map(|index| index.start).unwrap_or_default();
    let around_index = loads().find(|load: &Range<usize>| load.contains(&index)).unwrap_or(index..index);
    let mut name = [0; 64];
    let last = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let name_length = last.len().min(name.len());
    name[..name_length].copy_from_slice(&last[..name_length]);
    Object {
        module: Module {
            start: loads().map(|load| load.start).min().unwrap_or_default(),
            end: loads().map(|load| load.end).max().unwrap_or_default(),
            table: UnwindTable { index, start: around_index.start, end: around_index.end },
        },
        bias,
        dynamic: find(libc::PT_DYNAMIC).map(|dynamic| dynamic.start).unwrap_or_default(),
        name,
        name_length,
    }
}

const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;

/// The names of the libraries that an object asks for (System V ABI, "Dynamic Section").
///
/// # Safety
///
/// The object stays loaded.
unsafe fn names_needed(object: &Object) -> Vec<&'static [u8]> {
    let entries = || {
        let mut at = ptr::with_exposed_provenance::<[u64; 2]>(object.dynamic);
        std::iter::from_fn(move || {
            // SAFETY: the section is an array of pairs that ends with a null tag; it stays loaded.
            let entry = unsafe { at.read() };
            at = at.wrapping_add(1);
            (entry[0] != DT_NULL).then_some(entry)
        })
    };
    if object.dynamic == 0 {
        return Vec::new();
    }
    let Some([_, strings]) = entries().find(|[tag, _]| *tag == DT_STRTAB) else { return Vec::new() };
    // Some loaders write the address into the section, others leave the offset.
    let strings = strings as usize;
    let strings = if strings < object.bias { object.bias + strings } else { strings };
    let needed = entries().filter(|[tag, _]| *tag == DT_NEEDED);
    needed
        .map(|[_, offset]| {
            let name = ptr::with_exposed_provenance::<c_char>(strings + offset as usize);
            // SAFETY: an offset into the string table, where strings end with a null.
            unsafe { CStr::from_ptr(name) }.to_bytes()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_its_libraries_are_there() {
        let modules = at_start_up();
        let of = |address: usize| {
            modules.iter().filter(|module| (module.start..module.end).contains(&address)).count()
        };
        assert_eq!(of(at_start_up as *const () as usize), 1);
        assert_eq!(of(libc::dlsym as *const () as usize), 1);
        assert_eq!(of(0x1000), 0);
        assert!(
            modules.iter().all(|module| module.table.index == 0 || module.table.end > module.table.index)
        );
    }
}
