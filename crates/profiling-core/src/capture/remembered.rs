//! Walking a stack by unwind rules that are remembered by address.
//!
//! | module | owns |
//! |---|---|
//! | `unwinder` | what is known of the program's code |
//! | `walk` | one walk over a stack |
//! | `rule`, `rule_cache` | a rule, and those of the addresses seen before |
//! | `unwind_table` | rules from the tables of loaded code |
//! | `modules` | the code that stays as long as the program |
//! | `late_code`, `late_modules`, `late_module`, `module_head`, `find_object` | the code that does not |
//! | `registers`, `stack_bounds`, `memory_map` | where a walk starts, and where it may go |

mod find_object;
#[cfg(fuzzing)]
pub(crate) mod fuzzing;
mod late_code;
mod late_module;
mod late_modules;
mod memory_map;
mod module_head;
mod modules;
mod registers;
mod rule;
mod rule_cache;
mod stack_bounds;
mod unwind_table;
mod unwinder;
mod walk;

pub(crate) use registers::Registers;
pub(crate) use stack_bounds::StackBounds;
pub(crate) use unwinder::{Unwinder, UnwinderOnce};
pub(crate) use walk::Walk;
