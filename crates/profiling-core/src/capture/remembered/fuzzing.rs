//! The parts of a walk alone, over memory and rules that a fuzz target makes up.

// unsafe: reads memory that the caller names.
#![allow(unsafe_code)]

use std::{ops::Range, sync::atomic::AtomicU64};

use super::{
    memory_map,
    modules::{MODULES, Module},
    registers::Registers,
    rule::Rule,
    rule_cache::{ENTRIES, RuleCache},
    stack_bounds::StackBounds,
    unwind_table::UnwindTable,
    unwinder::Knowledge,
    walk::Walk,
};

/// How a frame is left.
#[derive(Clone, Copy, Debug)]
pub enum Leaving {
    /// By offsets: whether from the frame pointer, of the CFA, and of the saved frame pointer from that.
    By(bool, i64, Option<i64>),
    /// Not at all: it is the outermost one.
    End,
    /// By another unwinder.
    Unknown,
    /// By the registers that a signal interrupted.
    Signal,
}

/// Addresses of code without unwind tables.
pub const CODE: Range<usize> = 0x10_0000..0x20_0000;

/// Whether a usual rule is found for `address` in the unwind table whose index is at `index`.
///
/// # Safety
///
/// The memory of `segment` can be read and does not change.
pub unsafe fn has_rule(segment: Range<usize>, index: usize, address: usize) -> bool {
    let table = UnwindTable { index, start: segment.start, end: segment.end };
    // SAFETY: forwarded from the caller.
    !matches!(unsafe { table.rule(address) }, Rule::UNKNOWN | Rule::NO_TABLE)
}

/// Walks `stack` from these registers, instruction pointer, stack pointer and frame pointer, by these rules of code;
/// shows each frame, by its address and its stack pointer, until `visit` answers false.
///
/// # Safety
///
/// The stack can be read, so can all anonymous memory of the process, and the stack pointer is a whole word on it.
pub unsafe fn walk(
    rules: &[(usize, Leaving)],
    stack: Range<usize>,
    [ip, sp, bp]: [usize; 3],
    trusts_frame_pointers: bool,
    visit: impl FnMut(usize, usize) -> bool,
) {
    // Rules are not forgotten, so each call has a cache of its own.
    // Zeroed by the system as they are touched, which most are not.
    let zeros = Box::into_raw(vec![0u64; ENTRIES].into_boxed_slice());
    let words = zeros as *const [AtomicU64];
    let modules = [Module { start: CODE.start, end: CODE.end, ..Module::default() }; MODULES];
    // SAFETY: an atomic is as large as its number. The words are given back below, behind the last use.
    if let Some(cache) = RuleCache::new(unsafe { &*words }) {
        for (address, leaving) in rules {
            cache.put(*address, leaving.rule());
        }
        let knowledge =
            Box::into_raw(Box::new(Knowledge { rules: cache, modules, late: None, main_stack: 0 }));
        let bounds = StackBounds::known(stack);
        // SAFETY: as for the words.
        let walk =
            Walk::new(unsafe { &*knowledge }, &bounds, Registers { ip, sp, bp }, trusts_frame_pointers);
        if let Some(mut walk) = walk {
            walk.each(visit);
        }
        // SAFETY: made above, and not used any more.
        drop(unsafe { Box::from_raw(knowledge) });
    }
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(zeros) });
}

/// The stack around `sp` by the text of a memory map that comes in pieces of at most so many bytes.
pub fn stack_in(map: &[u8], piece: usize, sp: usize) -> Option<Range<usize>> {
    let mut rest = map;
    memory_map::search(sp, |buffer| {
        let count = rest.len().min(buffer.len()).min(piece.max(1));
        buffer[..count].copy_from_slice(&rest[..count]);
        rest = &rest[count..];
        count
    })
}

impl Leaving {
    fn rule(self) -> Rule {
        match self {
            Self::By(from_bp, cfa_offset, bp_offset) => Rule::new(from_bp, cfa_offset, bp_offset),
            Self::End => Rule::END,
            Self::Unknown => Rule::UNKNOWN,
            Self::Signal => Rule::SIGNAL,
        }
    }
}
