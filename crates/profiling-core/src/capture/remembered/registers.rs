//! Where a walk starts: the registers of the function that asks.

// unsafe: reads registers, in a function of assembly only.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// The registers that an unwind rule of this architecture starts from, in one frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    /// Where the frame goes on: a return address.
    pub(super) ip: usize,
    /// The stack pointer at that place.
    pub(super) sp: usize,
    /// The frame pointer, if the code uses it as one.
    pub(super) bp: usize,
}

impl Registers {
    /// Those of the function that asks.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        let mut registers = MaybeUninit::uninit();
        // SAFETY: writes the three words of a value that this function owns, and so all of it.
        unsafe {
            read(&mut registers);
            registers.assume_init()
        }
    }

    /// The stack pointer, which is the lowest address of the frame.
    #[inline(always)]
    pub(crate) fn sp(self) -> usize {
        self.sp
    }
}

/// Has no frame of its own, so the return address on the stack is the caller's next instruction.
#[unsafe(naked)]
unsafe extern "C" fn read(registers: &mut MaybeUninit<Registers>) {
    core::arch::naked_asm!(
        "mov rax, [rsp]",
        "mov [rdi], rax",
        "lea rax, [rsp + 8]",
        "mov [rdi + 8], rax",
        "mov [rdi + 16], rbp",
        "ret",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_those_of_the_caller() {
        let local = 0u8;
        let registers = Registers::here();
        let (sp, local) = (registers.sp, (&raw const local).addr());
        assert!(sp < local && local - sp < 4096, "{sp:#x} {local:#x}");
        assert_ne!(registers.ip, 0);
    }
}
