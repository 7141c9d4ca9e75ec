//! All ways to walk a stack see the same frames: the same stacks, walked by each of them.
//!
//! Every check runs in a process of its own, under a time limit from outside: the program starts itself once a
//! check. A check allocates at the innermost point of some stack, once for every way, in a session of that way
//! at interval 1; compares the stacks of the profiles, address by address; and asks for the functions that must
//! be on them, so that all being wrong in the same manner is seen, too.
//!
//! | module | owns |
//! |---|---|
//! | `check` | a check, and a process of its own for it |
//! | `leaf` | the allocation that is looked for |
//! | `stack` | a stack, as a profile has it |
//! | `ways` | one scenario, walked in every way, and what must hold of that |
//! | `native`, `libraries`, `memory`, `handler` | what scenarios are made of: C code, libraries that are loaded by hand, memory for stacks, signal handlers |
//! | `plugin` | a library that allocates, and what reports say of it |
//! | the others | the scenarios, a file for each kind |
//!
//! It is built three times, by `cargo xtask ci unwinding`: as programs are shipped; with frame pointers; and
//! with frame pointers and without unwind tables (`no_unwind_tables`). Code of the last kind is invisible to
//! all ways but one, so there stacks are only asked to be whole where they are walked by frame pointers.

mod callbacks;
mod check;
mod choice;
mod coroutines;
mod corruption;
mod depths;
mod foreign;
mod handler;
mod interrupts;
mod late_code;
mod late_names;
mod leaf;
mod libraries;
mod memory;
mod native;
mod panics;
mod plugin;
mod signals;
mod stack;
mod threads;
mod turns;
mod ways;

use allometer::{SamplingAllocator, system::System};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// Whether the program's own code has unwind tables.
const HAS_TABLES: bool = cfg!(not(no_unwind_tables));

fn main() {
    let checks = [
        choice::CHECKS,
        depths::CHECKS,
        callbacks::CHECKS,
        foreign::CHECKS,
        late_code::CHECKS,
        late_names::CHECKS,
        turns::CHECKS,
        signals::CHECKS,
        interrupts::CHECKS,
        threads::CHECKS,
        panics::CHECKS,
        coroutines::CHECKS,
        corruption::CHECKS,
    ];
    check::run(&checks.concat());
}
