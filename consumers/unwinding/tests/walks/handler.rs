//! Signal handlers.

use std::{ops::Range, ptr};

/// Calls `handler` at each `signal` from now on, on the stack of the thread. The standard library gives its threads
/// a small one for signals, which is not used.
pub fn install(signal: i32, handler: extern "C" fn(i32)) {
    install_with(signal, handler, 0);
}

/// The same on the thread's stack for signals.
pub fn install_on_stack(signal: i32, handler: extern "C" fn(i32)) {
    install_with(signal, handler, libc::SA_ONSTACK);
}

fn install_with(signal: i32, handler: extern "C" fn(i32), flags: i32) {
    // SAFETY: a value of zeros is one that asks for nothing.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = flags;
    // SAFETY: a handler of the signature that its flags promise (sigaction(2)).
    assert_eq!(unsafe { libc::sigaction(signal, &action, ptr::null_mut()) }, 0);
}

/// Gives this thread a stack for signals.
pub fn use_stack(memory: Range<usize>) {
    let ss_sp = ptr::with_exposed_provenance_mut(memory.start);
    let stack = libc::stack_t { ss_sp, ss_flags: 0, ss_size: memory.len() };
    // SAFETY: memory that nothing else uses and that is not given back (sigaltstack(2)).
    assert_eq!(unsafe { libc::sigaltstack(&stack, ptr::null_mut()) }, 0);
}

/// Sends `signal` to this thread, whose handler has returned when this does.
#[inline(never)]
pub fn raise(signal: i32) {
    // SAFETY: takes no pointer.
    assert_eq!(unsafe { libc::raise(signal) }, 0);
}
