//! Asking the loader which module an address is in.

// unsafe: calls a function of the loader's, and reads what it points to.
#![allow(unsafe_code)]

use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr,
};

use super::unwind_table::UnwindTable;

/// glibc's look-up of the module at an address, which takes no lock (since 2.35).
#[derive(Clone, Copy, Debug)]
pub(super) struct FindObject(Function);

type Function = unsafe extern "C" fn(*mut c_void, *mut FoundObject) -> c_int;

/// `struct dl_find_object` (glibc manual, "Dynamic Linker Introspection").
#[repr(C)]
struct FoundObject {
    flags: u64,
    start: usize,
    end: usize,
    link_map: *const LinkMap,
    eh_frame_hdr: usize,
    reserved: [u64; 7],
}

/// The part of `struct link_map` that programs may read (`<link.h>`).
#[repr(C)]
struct LinkMap {
    bias: usize,
    name: *const c_char,
    dynamic: usize,
}

/// A module as the loader has it now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// `.eh_frame_hdr`, or zero.
    pub(super) index: usize,
    link_map: *const LinkMap,
}

impl FindObject {
    /// Looks the function up; call it where the loader may be asked.
    pub(super) fn load() -> Option<Self> {
        // SAFETY: a symbol's name with its null (dlsym(3)).
        let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr()) };
        // SAFETY: where the symbol exists it is this function.
        (!symbol.is_null()).then(|| Self(unsafe { std::mem::transmute::<*mut c_void, Function>(symbol) }))
    }

    /// The module at `address`, if one is there.
    #[inline(always)]
    pub(super) fn at(self, address: usize) -> Option<Found> {
        let mut found = std::mem::MaybeUninit::<FoundObject>::uninit();
        // SAFETY: any address may be asked for; the answer is written to a value of ours.
        let answer = unsafe { (self.0)(ptr::without_provenance_mut(address), found.as_mut_ptr()) };
        if answer != 0 {
            return None;
        }
        let found = found.as_ptr();
        // SAFETY: after the answer zero these fields are written.
        let (start, end, index) = unsafe { ((*found).start, (*found).end, (*found).eh_frame_hdr) };
        // SAFETY: as above.
        Some(Found { start, end, index, link_map: unsafe { (*found).link_map } })
    }
}

impl Found {
    pub(super) fn table(&self) -> UnwindTable {
        UnwindTable { index: self.index, start: self.start, end: self.end }
    }

    /// Difference between an address in memory and one in the file.
    ///
    /// # Safety
    ///
    /// The module stays loaded during the call.
    #[inline(always)]
    pub(super) unsafe fn bias(&self) -> usize {
        // SAFETY: the loader keeps it as long as the module is loaded.
        unsafe { (*self.link_map).bias }
    }

    /// Its path, as the loader opened it.
    ///
    /// # Safety
    ///
    /// The module stays loaded as long as the path is used.
    #[inline(always)]
    pub(super) unsafe fn path<'a>(&self) -> &'a [u8] {
        // SAFETY: as above; a string with its null, which is not changed.
        unsafe { CStr::from_ptr((*self.link_map).name) }.to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::remembered::modules::at_start_up;

    #[test]
    fn the_loader_finds_the_same_table() {
        let Some(find) = FindObject::load() else { return };
        let address = at_start_up as *const () as usize;
        let module = at_start_up().into_iter().find(|module| (module.start..module.end).contains(&address));
        assert_eq!(find.at(address).unwrap().table().index, module.unwrap().table.index);
        assert!(find.at(0x1000).is_none());
    }

    #[test]
    fn a_library_has_its_path() {
        let Some(find) = FindObject::load() else { return };
        let found = find.at(libc::dlsym as *const () as usize).unwrap();
        // SAFETY: the C library stays.
        let (path, bias) = unsafe { (found.path(), found.bias()) };
        assert!(path.starts_with(b"/") && (found.start..found.end).contains(&bias), "{path:?} {bias:x}");
    }
}
