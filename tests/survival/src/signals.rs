//! Signals to threads, and their handlers.

// unsafe: installs handlers and stacks for them, and sends signals.
#![allow(unsafe_code)]

use std::{ffi::c_void, mem, os::unix::thread::JoinHandleExt, ptr, thread::JoinHandle};

/// Where a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// On the stack of the thread; another signal may interrupt it, the same one too.
    Nested,
    /// On the thread's own stack for signals, by itself.
    OwnStack,
}

/// Takes the signal, what is known of it, and the registers of what it interrupted: sigaction(2).
pub(crate) type Handler = extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void);

/// Calls `handler` at each `signal` from now on.
pub(crate) fn install(signal: i32, handler: Handler, place: Where) {
    // SAFETY: a value of zeros is one that asks for nothing.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_flags = libc::SA_RESTART | libc::SA_SIGINFO;
    match place {
        Where::Nested => action.sa_flags |= libc::SA_NODEFER,
        Where::OwnStack => {
            action.sa_flags |= libc::SA_ONSTACK;
            // SAFETY: a set of ours (sigfillset(3)).
            unsafe { libc::sigfillset(&raw mut action.sa_mask) };
        }
    }
    // SAFETY: a handler of the signature that its flags promise (sigaction(2)).
    assert_eq!(unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) }, 0);
}

/// Sends `signal` to a thread that runs.
pub(crate) fn send<T>(signal: i32, to: &JoinHandle<T>) {
    // SAFETY: the thread is not joined, so its number is its own (pthread_kill(3)).
    assert_eq!(unsafe { libc::pthread_kill(to.as_pthread_t(), signal) }, 0);
}

/// The least that the kernel needs of a stack for signals.
pub(crate) fn least_stack() -> usize {
    // SAFETY: takes no pointer (getauxval(3)).
    let least = unsafe { libc::getauxval(libc::AT_MINSIGSTKSZ) };
    (least as usize).max(libc::MINSIGSTKSZ)
}

/// What fills a stack that was not used.
const UNUSED: u8 = 0xa5;

/// A stack for signals, and what was used of it.
#[derive(Debug)]
pub(crate) struct OwnStack {
    lowest: *mut u8,
    bytes: usize,
}

impl OwnStack {
    /// Gives this thread a stack for signals of so many bytes, which ends at memory that nobody may touch.
    pub(crate) fn new(bytes: usize) -> Self {
        const PAGE: usize = 4096;
        let whole = bytes.next_multiple_of(PAGE) + PAGE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping (mmap(2)), whose first page is closed, and whose rest is never given back.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let base = libc::mmap(ptr::null_mut(), whole, access, flags, -1, 0);
            assert_ne!(base, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(base, PAGE, libc::PROT_NONE), 0);
            // It grows down to the closed page: what is more than asked for is at its upper end.
            let lowest = base.wrapping_byte_add(PAGE);
            lowest.cast::<u8>().write_bytes(UNUSED, bytes);
            let stack = libc::stack_t { ss_sp: lowest, ss_flags: 0, ss_size: bytes };
            assert_eq!(libc::sigaltstack(&raw const stack, ptr::null_mut()), 0);
            Self { lowest: lowest.cast(), bytes }
        }
    }

    /// Most bytes that were ever used.
    pub(crate) fn used(&self) -> usize {
        // SAFETY: memory that is never given back; no handler runs while this thread looks.
        let is_unused = |at: &usize| unsafe { self.lowest.wrapping_add(*at).read() } == UNUSED;
        self.bytes - (0..self.bytes).take_while(is_unused).count()
    }
}
