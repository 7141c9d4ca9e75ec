//! What a compiled function consists of.

use std::{fmt, ops::RangeInclusive};

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
};
use object::{Object, ObjectSection, ObjectSymbol};

/// How many instructions of each kind a function has, all its ways together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mix {
    /// All of them; the kinds from `branches` on add up to this.
    instructions: u32,
    /// Those that read memory, of any kind but the stack's.
    loads: u32,
    /// Those that write memory, of any kind but the stack's.
    stores: u32,
    /// Jumps on a condition.
    branches: u32,
    /// Comparisons and tests.
    compares: u32,
    /// What computes.
    arithmetic: u32,
    /// What only moves, an address that is computed included.
    moves: u32,
    /// What makes or removes a frame.
    stack: u32,
    /// Jumps inside the function, and its returns.
    jumps: u32,
    calls: u32,
    /// Jumps to other functions.
    tail_calls: u32,
}

/// The names of the columns that a [`Mix`] prints.
pub(super) const COLUMNS: &str = "instr  load store | branch compare arith  move stack  jump  call  tail";

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>5} {:>5} {:>5} | {:>6} {:>7} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5}",
            self.instructions,
            self.loads,
            self.stores,
            self.branches,
            self.compares,
            self.arithmetic,
            self.moves,
            self.stack,
            self.jumps,
            self.calls,
            self.tail_calls
        )
    }
}

impl Mix {
    /// The mix of the function in `object` whose path ends in `path`; `None` where there is none with code.
    pub(super) fn of(object: &object::File, path: &str) -> Result<Option<Self>, object::Error> {
        for symbol in object.symbols() {
            let name = format!("{:#}", rustc_demangle::demangle(symbol.name()?));
            if let Some(section) = symbol.section_index()
                && name.ends_with(path)
            {
                let section = object.section_by_index(section)?;
                let code = section.data_range(symbol.address(), symbol.size())?;
                return Ok(code.map(|code| Self::count(code, symbol.address())));
            }
        }
        Ok(None)
    }

    /// The mix of x86-64 code at `address`.
    fn count(code: &[u8], address: u64) -> Self {
        let inside = address..=address + code.len() as u64 - 1;
        let mut mix = Self::default();
        let mut memory = InstructionInfoFactory::new();
        for instruction in Decoder::with_ip(64, code, address, DecoderOptions::NONE) {
            if matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3) {
                continue;
            }
            mix.instructions += 1;
            let kind = mix.kind(&instruction, &inside);
            *kind += 1;
            if is_frame(&instruction) || instruction.flow_control() == FlowControl::Return {
                continue;
            }
            let used = memory.info(&instruction).used_memory();
            let accesses = |kinds: &[OpAccess]| used.iter().any(|used| kinds.contains(&used.access()));
            mix.loads += u32::from(accesses(&[OpAccess::Read, OpAccess::CondRead, OpAccess::ReadWrite]));
            mix.stores += u32::from(accesses(&[OpAccess::Write, OpAccess::CondWrite, OpAccess::ReadWrite]));
        }
        mix
    }

    fn kind(&mut self, instruction: &Instruction, inside: &RangeInclusive<u64>) -> &mut u32 {
        match (instruction.flow_control(), instruction.mnemonic()) {
            (FlowControl::Call | FlowControl::IndirectCall, _) => &mut self.calls,
            // A tail call on a condition jumps away, too, but what it is for is the condition.
            (FlowControl::ConditionalBranch, _) => &mut self.branches,
            (FlowControl::IndirectBranch, _) => &mut self.tail_calls,
            (FlowControl::UnconditionalBranch, _) if inside.contains(&instruction.near_branch_target()) => {
                &mut self.jumps
            }
            (FlowControl::UnconditionalBranch, _) => &mut self.tail_calls,
            (FlowControl::Return, _) => &mut self.jumps,
            _ if is_frame(instruction) => &mut self.stack,
            (_, Mnemonic::Cmp | Mnemonic::Test) => &mut self.compares,
            (_, Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Movsxd | Mnemonic::Lea) => {
                &mut self.moves
            }
            _ => &mut self.arithmetic,
        }
    }
}

/// Whether an instruction makes or removes a frame.
fn is_frame(instruction: &Instruction) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Push | Mnemonic::Pop => true,
        Mnemonic::Add | Mnemonic::Sub => instruction.op0_register() == Register::RSP,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_apart() {
        // push rax; test rdi,rdi; je +4; sub [rsi],rdi; nop; pop rax; jmp [rip+0]
        let code = [
            &[0x50][..],
            &[0x48, 0x85, 0xff],
            &[0x74, 0x04],
            &[0x48, 0x29, 0x3e],
            &[0x90, 0x58],
            &[0xff, 0x25, 0, 0, 0, 0],
        ]
        .concat();
        let expected = Mix {
            instructions: 6,
            loads: 2,
            stores: 1,
            branches: 1,
            compares: 1,
            arithmetic: 1,
            stack: 2,
            tail_calls: 1,
            ..Mix::default()
        };
        assert_eq!(Mix::count(&code, 0x1000), expected);
        assert_eq!(expected.to_string().len(), COLUMNS.len());
    }
}
