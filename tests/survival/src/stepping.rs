//! One thread, instruction by instruction: the processor's trap flag makes it signal itself after each.

// unsafe: changes the processor's flags.
#![allow(unsafe_code)]

use std::{arch::asm, ffi::c_void};

/// The signal that comes after each instruction.
pub(crate) const SIGNAL: i32 = libc::SIGTRAP;

/// The trap flag: AMD64 Architecture Programmer's Manual, volume 2, 3.1.6.
const TRAP: u64 = 1 << 8;

/// Runs `body` with a [`SIGNAL`] to this thread after each of its instructions. Its handler runs without, as the
/// system clears the flag for it.
pub(crate) fn each_instruction<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: sets a flag that the compiler knows nothing of, and leaves the stack as it was.
    unsafe {
        asm!("pushfq", "or qword ptr [rsp], {trap}", "popfq", trap = const TRAP);
    }
    let answer = body();
    // SAFETY: as above.
    unsafe {
        asm!("pushfq", "and qword ptr [rsp], {others}", "popfq", others = const !(TRAP as i32));
    }
    answer
}

/// For a handler: what it has interrupted goes on without, as far as [`each_instruction`] would have had it.
pub(crate) fn end(interrupted: *mut c_void) {
    // SAFETY: the third argument of a handler, whose registers are restored when it returns (sigaction(2)).
    let registers = unsafe { &mut (*interrupted.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    registers[libc::REG_EFL as usize] &= !(TRAP as i64);
}
