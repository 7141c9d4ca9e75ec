//! A program whose memory is explained, over any allocator: it indexes the words of every Rust source below a directory, and then
//! forgets those that are rare. `docs/memory.md` has what it says.
//!
//! | module | owns |
//! |---|---|
//! | `index` | [`Index`]: words, and where they are |

mod index;

use std::{
    error::Error,
    io::{Write, stdout},
    path::Path,
};

use allometer_core::{Config, MemoryUse, Profiler};
use allometer_views::gap;

pub use index::Index;

/// Words that are forgotten are in fewer places.
const RARE: usize = 12;

/// Indexes what is below a directory, and says where the memory is: with the index complete, with its rare words forgotten, and once
/// free memory was given back.
///
/// # Errors
///
/// No session starts, the directory cannot be read, or nobody listens.
pub fn run(directory: &Path) -> Result<(), Box<dyn Error>> {
    let profiler = Profiler::start(Config::from_env()?.sample_interval(64 << 10))?;
    let mut index = Index::of(directory)?;
    tell(&profiler, &format!("{} words in {} places", index.words(), index.places()))?;
    index.forget(RARE);
    tell(&profiler, &format!("{} words in {} places", index.words(), index.places()))?;
    profiler.purge()?;
    tell(&profiler, "the same, and free memory given back")
}

fn tell(profiler: &Profiler, what: &str) -> Result<(), Box<dyn Error>> {
    let snapshot = profiler.snapshot()?;
    let (figures, resident) = (profiler.provider_figures()?, MemoryUse::resident());
    let mut profile = snapshot.profile();
    profile.metadata.provider_figures = figures;
    profile.metadata.resident = resident.map(|memory| memory.used);
    let gap = gap(&profile).map(|gap| gap.to_string()).unwrap_or_default();
    Ok(writeln!(stdout(), "{what}:\n{gap}")?)
}
