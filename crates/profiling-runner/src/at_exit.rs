//! The program's exit, which stops a runner that is still there.

// unsafe: a function for the C library to call, with a pointer of ours.
#![allow(unsafe_code)]

use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::Arc,
};

use crate::{Error, orders::Orders};

unsafe extern "C" {
    /// Calls `call` with `argument` when the program ends by `exit`, or `library` is unloaded; null is the program. It is
    /// what `atexit` is made of in glibc, musl and on BSDs (Linux Standard Base, `__cxa_atexit`), and takes an argument,
    /// so that there need not be a static.
    fn __cxa_atexit(call: extern "C" fn(*mut c_void), argument: *mut c_void, library: *mut c_void) -> c_int;
}

extern "C" fn end(orders: *mut c_void) {
    // SAFETY: made by `listen`, and never given back.
    let orders = unsafe { &*orders.cast::<Orders>() };
    orders.end();
}

/// From now on the program's exit ends the thread behind `orders`, unless that has ended.
///
/// # Errors
///
/// [`Error::AtExit`].
pub(crate) fn listen(orders: &Arc<Orders>) -> Result<(), Error> {
    let orders = Arc::into_raw(orders.clone());
    // SAFETY: the pointer stays valid, since nobody gives this count of the `Arc` back; `end` does not unwind.
    let refused = unsafe { __cxa_atexit(end, orders.cast_mut().cast(), ptr::null_mut()) } != 0;
    if refused {
        // SAFETY: of `into_raw` above, and nobody else has it.
        drop(unsafe { Arc::from_raw(orders) });
        return Err(Error::AtExit);
    }
    Ok(())
}
