//! Any rules, registers and stack: a walk reads nothing but stack, and goes upwards but at a signal.
#![no_main]

// unsafe: a stack has to be told by its address.

use std::cell::RefCell;
use std::collections::BTreeMap;

use allometer_core::fuzzing::{CODE, Leaving, walk};
use allometer_fuzz::Guarded;
use libfuzzer_sys::{arbitrary, arbitrary::Arbitrary, fuzz_target};

/// Two stacks: the one that is known, and one that a signal can lead to.
const STACKS: [usize; 2] = [0x2000_0000_0000, 0x2000_0100_0000];
const MOST_FRAMES: usize = 500;

thread_local! {
    static MEMORY: RefCell<[Guarded; 2]> = RefCell::new(STACKS.map(|start| Guarded::new(start, 1)));
}

#[derive(Debug, Arbitrary)]
struct Input {
    rules: BTreeMap<u8, Rule>,
    ip: u8,
    sp: u16,
    bp: Word,
    trusts_frame_pointers: bool,
    stacks: [Vec<Word>; 2],
}

#[derive(Debug, Arbitrary, Clone, Copy)]
enum Rule {
    FramePointer,
    By(bool, i32, Option<i16>),
    /// In words, most of which are possible.
    Words(bool, u8, Option<u8>),
    End,
    Unknown,
    Signal,
}

#[derive(Debug, Arbitrary, Clone, Copy)]
enum Word {
    Code(u8),
    /// So far into the one stack or the other.
    Stack(bool, i16),
    /// An address of nothing, near zero or the end.
    Any(i32),
}

fn code(number: u8) -> usize {
    CODE.start + 16 + usize::from(number)
}

impl Word {
    fn value(self) -> usize {
        match self {
            Self::Code(number) => code(number),
            Self::Stack(other, offset) => STACKS[usize::from(other)].wrapping_add_signed(offset.into()),
            Self::Any(number) => number as usize,
        }
    }
}

impl Rule {
    fn leaving(self) -> Leaving {
        match self {
            Self::FramePointer => Leaving::By(true, 16, Some(-16)),
            Self::By(from_bp, cfa, bp) => Leaving::By(from_bp, cfa.into(), bp.map(i64::from)),
            Self::Words(from_bp, cfa, bp) => {
                Leaving::By(from_bp, 8 * i64::from(cfa), bp.map(|words| -8 * i64::from(words)))
            }
            Self::End => Leaving::End,
            Self::Unknown => Leaving::Unknown,
            Self::Signal => Leaving::Signal,
        }
    }
}

fuzz_target!(|input: Input| {
    let rules: Vec<_> = input.rules.iter().map(|(at, rule)| (code(*at), rule.leaving())).collect();
    let has_signals = input.rules.values().any(|rule| matches!(rule, Rule::Signal));
    MEMORY.with_borrow_mut(|memory| {
        for (memory, words) in memory.iter_mut().zip(&input.stacks) {
            memory.fill_to_end(&words.iter().flat_map(|word| word.value().to_ne_bytes()).collect::<Vec<_>>());
        }
        let stack = memory[0].range();
        let sp = stack.start + usize::from(input.sp) * 8 % stack.len();
        let (mut before, mut frames) = (0, 0);
        let visit = |_: usize, sp: usize| {
            assert!(sp > before || has_signals, "the walk goes back, from {before:#x} to {sp:#x}");
            assert!(
                sp.is_multiple_of(8) && (stack.contains(&(sp - 1)) || sp == stack.start || has_signals),
                "{sp:#x} is no stack"
            );
            (before, frames) = (sp, frames + 1);
            frames < MOST_FRAMES
        };
        let start = [code(input.ip), sp, input.bp.value()];
        // SAFETY: the stack is readable, and nobody writes to it meanwhile; `sp` is a whole word on it.
        unsafe { walk(&rules, stack.clone(), start, input.trusts_frame_pointers, visit) };
    });
});
