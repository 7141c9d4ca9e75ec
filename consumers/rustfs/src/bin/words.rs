//! Where the memory of an index of words is, over this allocator: `cargo run --release --bin words DIRECTORY`.

use std::{env, error::Error, path::PathBuf};

use allometer_rustfs::SamplingMiMalloc;

#[global_allocator]
static ALLOC: SamplingMiMalloc = SamplingMiMalloc::new();

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    allometer_words::run(&directory)
}
