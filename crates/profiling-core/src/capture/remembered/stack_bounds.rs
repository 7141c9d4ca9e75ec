//! Which memory is a thread's own stack, remembered by the thread.

// unsafe: reads the thread pointer.
#![allow(unsafe_code)]

use std::{cell::Cell, ops::Range};

use super::memory_map::stack_around;

/// The stack of a thread, once it is known. Plain cells, for the thread-local.
#[derive(Debug)]
pub(crate) struct StackBounds {
    start: Cell<usize>,
    end: Cell<usize>,
}

impl StackBounds {
    pub(crate) const fn new() -> Self {
        Self { start: Cell::new(0), end: Cell::new(0) }
    }

    /// Those of a thread whose stack is known.
    #[cfg(fuzzing)]
    pub(super) fn known(stack: Range<usize>) -> Self {
        Self { start: Cell::new(stack.start), end: Cell::new(stack.end) }
    }

    /// The memory around `sp` that can be read as stack.
    ///
    /// Only the thread's own stack is remembered, since it stays as long as the thread does; a coroutine's,
    /// or one for signals, is looked for each time. `main_stack` is an address on the main thread's.
    #[inline(always)]
    pub(super) fn around(&self, sp: usize, main_stack: usize) -> Option<Range<usize>> {
        let known = self.start.get()..self.end.get();
        if known.contains(&sp) { Some(known) } else { self.look_around(sp, main_stack) }
    }

    #[cold]
    #[inline(never)]
    fn look_around(&self, sp: usize, main_stack: usize) -> Option<Range<usize>> {
        let mut range = stack_around(sp)?;
        let block = thread_pointer();
        let is_below_block = (sp..range.end).contains(&block);
        if is_below_block {
            // Other memory may border on what the thread's stack is part of, and go away at any time.
            range.end = block;
        }
        if is_below_block || range.contains(&main_stack) {
            self.start.set(range.start);
            self.end.set(range.end);
        }
        Some(range)
    }
}

/// Where the C library keeps the thread's block, which lies at the upper end of the stacks that it makes.
fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads the word that the thread pointer points to, which holds its own address (ELF Handling
    // For Thread-Local Storage, x86-64).
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags));
    }
    pointer
}

/// An address on the main thread's stack, or zero. Asks the loader: not for a hook.
pub(super) fn main_stack() -> usize {
    // SAFETY: a symbol's name with its null (dlsym(3)).
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__libc_stack_end".as_ptr()) };
    // SAFETY: where it exists, it is a variable of glibc's that holds an address.
    if symbol.is_null() { 0 } else { unsafe { symbol.cast::<usize>().read() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_remembered() -> bool {
        let local = 0u8;
        let sp = (&raw const local).addr();
        let bounds = StackBounds::new();
        let range = bounds.around(sp, main_stack()).unwrap();
        assert!(range.contains(&sp));
        (bounds.start.get()..bounds.end.get()) == range
    }

    #[test]
    fn a_thread_s_own_stack_is_remembered() {
        assert!(is_remembered());
        assert!(std::thread::spawn(is_remembered).join().unwrap());
    }

    #[test]
    fn other_memory_is_not() {
        let block = vec![0u8; 1 << 22];
        let bounds = StackBounds::new();
        let found = bounds.around(block.as_ptr().addr() + 100, main_stack());
        assert!(found.is_none_or(|range| !range.is_empty()));
        assert_eq!(bounds.end.get(), 0);
    }
}
