//! What holds for every source of profiles: a named part of the suite, for profilers of allocators that sample by themselves, too.
//!
//! Their figures are estimates, so that what is expected of them follows from their standard errors. Objects have sizes that are
//! size classes of every allocator, and are not resized: what sources differ in has tests of its own.

mod figures;
mod known;
mod life_cycle;
mod profiles;
mod threads;

use std::{env, path::Path, time::Duration};

use allometer_profile::Switch;
use libtest_mimic::{Arguments, Failed, Trial};

use crate::{Block, Scenario, output};

pub use known::Known;

/// How long a check may take: far more than it does, so that only a hang is ended by it.
const LIMIT: Duration = Duration::from_secs(120);

/// One thing that holds for every source.
#[derive(Clone, Copy)]
struct Check {
    name: &'static str,
    run: fn(&Subject<'_>),
}

/// What a check is tried on.
#[derive(Clone, Copy)]
struct Subject<'a> {
    switch: &'a dyn Switch,
    known: Known,
}

impl Check {
    const fn new(name: &'static str, run: fn(&Subject<'_>)) -> Self {
        Self { name, run }
    }
}

fn all() -> impl Iterator<Item = Check> {
    [life_cycle::CHECKS, figures::CHECKS, threads::CHECKS, profiles::CHECKS].into_iter().flatten().copied()
}

/// The whole `main` of a test: each check in a process of its own, over what `make` makes there, which samples at a few KiB; but for
/// what is known of it.
///
/// Panics if that names a check that there is not.
pub fn run_sources(make: fn() -> Box<dyn Switch>, known: Known) {
    if let Some(wanted) = Scenario::wanted() {
        let check = all().find(|check| check.name == wanted).expect("a check of this name");
        return (check.run)(&Subject { switch: &*make(), known });
    }
    for name in known.leaves_out {
        assert!(all().any(|check| check.name == *name), "no check is called {name}");
    }
    let trial = |check: Check| {
        Trial::test(check.name, move || {
            let command = Scenario::command(check.name, Path::new(&env::temp_dir()));
            output(command, LIMIT).map(drop).map_err(Failed::from)
        })
    };
    libtest_mimic::run(
        &Arguments::from_args(),
        all().filter(|check| !known.leaves_out.contains(&check.name)).map(trial).collect(),
    )
    .exit()
}

/// So many objects of a size.
fn blocks(count: usize, size: usize, make: fn(usize) -> Block) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(count);
    blocks.extend((0..count).map(|_| make(size)));
    blocks
}
