//! C code that calls back.

use std::ffi::c_void;

use crate::leaf::stay;

/// A function of C code, which calls `callback` with `data` once.
pub type Native = unsafe extern "C" fn(callback: extern "C" fn(*const c_void), data: *const c_void);

// `native/*.c`, and the flags that they are compiled with in `build.rs`.
unsafe extern "C" {
    /// Keeps a frame pointer, and has a table that says so.
    pub fn with_frame_pointer(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// Does not; the table has the size of its frame.
    pub fn without_frame_pointer(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// The same, of 1 MiB.
    pub fn roomy(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// Its frame is aligned to 64 bytes, and found by the frame pointer.
    pub fn realigned(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// The same, found by an expression.
    pub fn realigned_by_expression(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// A frame of 3 MiB: more than a rule that is remembered can say.
    pub fn oversized(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// Keeps a frame pointer, and has no table.
    pub fn no_table(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// The same, in a library that has no table for any code.
    pub fn early_bare(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// No table, no frame pointer.
    pub fn neither(callback: extern "C" fn(*const c_void), data: *const c_void);
    /// Calls back with a value in the frame pointer's register; no table, no frame pointer.
    pub fn with_rbp(callback: extern "C" fn(*const c_void), data: *const c_void, rbp: usize);
    /// Sends a signal to this thread while the stack pointer and the frame pointer have these values.
    pub fn interrupted_with(rsp: usize, rbp: usize, process: i32, thread: i32, signal: i32);
    /// Calls back on the stack that ends at `top`.
    pub fn on_stack(callback: extern "C" fn(*const c_void), data: *const c_void, top: *mut c_void);
    /// The same, as the outermost frame.
    pub fn on_root(callback: extern "C" fn(*const c_void), data: *const c_void, top: *mut c_void);
}

/// Runs `body` in a callback of `native`.
#[inline(never)]
pub fn through(native: Native, body: &dyn Fn()) {
    // SAFETY: it calls `visit` with this data and nothing else, while the data lives.
    unsafe { native(visit, (&raw const body).cast()) };
    stay();
}

/// Runs a body in the callback of one function after another, the first outermost.
pub fn nested(natives: &[Native], body: &dyn Fn()) {
    match natives.split_first() {
        Some((first, rest)) => through(*first, &|| nested(rest, body)),
        None => body(),
    }
    stay();
}

/// A callback for C code; `data` is the address of a `&dyn Fn()`.
pub extern "C" fn visit(data: *const c_void) {
    // SAFETY: whoever hands the callback on hands the address of such a reference on with it.
    let body = unsafe { &*data.cast::<&dyn Fn()>() };
    body();
    stay();
}
