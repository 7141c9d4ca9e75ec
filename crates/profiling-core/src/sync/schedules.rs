//! Runs a scenario, which is too large for a model, through some of the ways that it can go.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use shuttle::{
    Config, Runner,
    scheduler::{PctScheduler, RandomScheduler, Scheduler},
};

use super::{figures, memory};

/// How many schedules, and which: always the same ones.
#[derive(Clone, Copy)]
pub(crate) struct Schedules {
    pub(crate) count: usize,
}

const SEED: u64 = 1;
/// Places where a schedule by priorities changes these: mistakes that need so many are found with a probability
/// that is known.
const DEPTH: usize = 5;
/// For a thread: unwinding takes some.
const STACK: usize = 256 << 10;

impl Schedules {
    /// Each next step is that of any thread.
    pub(crate) fn at_random(self, execution: impl Fn() + Send + Sync + 'static) {
        run(RandomScheduler::new_from_seed(SEED, self.count), execution);
    }

    /// Each next step is that of the first thread by a priority, which changes at few places: a thread can be
    /// left behind for long (Burckhardt et al., 2010).
    pub(crate) fn by_priority(self, execution: impl Fn() + Send + Sync + 'static) {
        run(PctScheduler::new_from_seed(SEED, DEPTH, self.count), execution);
    }
}

fn run(scheduler: impl Scheduler + 'static, execution: impl Fn() + Send + Sync + 'static) {
    let mut config = Config::new();
    config.stack_size = STACK;
    config.silence_warnings = true;
    let executions = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&executions);
    Runner::new(scheduler, config).run(move || {
        memory::release_all();
        counted.fetch_add(1, Relaxed);
        execution();
    });
    figures::say(executions.load(Relaxed), &BTreeSet::new());
}
