//! The contract suite over an allocator of the program's own, and what only such an allocator can show:
//! what it was asked, and what follows from answers that it can choose.

mod cases;
mod gate;
mod held;
mod scripted;

use allometer::{Custom, SamplingAllocator};

use crate::scripted::Scripted;

#[global_allocator]
static ALLOC: SamplingAllocator<Custom<Scripted>> =
    SamplingAllocator::with_provider(Custom::new("scripted", Scripted::new()));

fn main() {
    allometer_contract::run_with(&ALLOC, "scripted", &[cases::CHECKS, held::CHECKS].concat());
}
