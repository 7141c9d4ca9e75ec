//! Libraries that are loaded by hand.

use std::{
    env,
    ffi::{CString, c_void},
    fs, mem,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process,
};

use crate::native::Native;

/// A library of the build script's, loaded until it is dropped.
pub struct Library {
    handle: *mut c_void,
    name: &'static str,
}

impl Library {
    pub fn load(name: &'static str) -> Self {
        Self::at(&path(name), name)
    }

    /// The same, from a file that is somewhere else.
    pub fn at(path: &Path, name: &'static str) -> Self {
        let path = CString::new(path.as_os_str().as_bytes()).expect("a path without null");
        // SAFETY: a path with its null, of a library without constructors (dlopen(3)).
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{path:?} cannot be loaded");
        Self { handle, name }
    }

    /// The one function, which has the name of the library. Not to be called once this is dropped.
    pub fn function(&self) -> Native {
        let name = CString::new(self.name).expect("a name without null");
        // SAFETY: a library that is loaded, a name with its null (dlsym(3)).
        let symbol = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        assert!(!symbol.is_null());
        // SAFETY: the symbol is a function of this signature.
        unsafe { mem::transmute::<*mut c_void, Native>(symbol) }
    }
}

/// Where the build script has put a library.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("OUT_DIR")).join(format!("lib{name}.so"))
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: what `dlopen` gave, once (dlclose(3)).
        assert_eq!(unsafe { libc::dlclose(self.handle) }, 0);
    }
}

/// A directory of this process's own, for libraries that are replaced.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new() -> Self {
        let path = env::temp_dir().join(format!("allometer-libraries-{}", process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    /// Puts a library at `name`, as builds do: the file that was there is not written to.
    pub fn install(&self, library: &str, name: &str) -> PathBuf {
        let (new, path) = (self.0.join("new"), self.0.join(name));
        fs::copy(self::path(library), &new).expect("a copy");
        fs::rename(&new, &path).expect("a name");
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the directory of this process");
    }
}
