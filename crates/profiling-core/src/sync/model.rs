//! Runs a model through every execution that it can have, within a bound.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use super::{figures, memory, place::Places};

thread_local! {
    /// Whether threads are spawned in the order in which they are written, or the other way round.
    static IS_REVERSED: Cell<bool> = const { Cell::new(false) };
}

/// How often threads are interrupted in one execution, at most: as often as nearly all mistakes need.
const PREEMPTIONS: usize = 3;

/// How a model is run.
pub(crate) struct Model;

impl Model {
    /// Runs `execution`, whose threads are [`together`], in every way within the bound. Says how many these were.
    ///
    /// Twice, with the threads in both orders: loom remembers the last access to an atomic only, so where one
    /// thread has read and another reads and writes, it does not try the write before the first thread's read.
    pub(crate) fn check(execution: impl Fn() + Send + Sync + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(PREEMPTIONS);
        builder.max_branches = 100_000;
        let executions = Arc::new(AtomicU64::new(0));
        let execution = Arc::new(execution);
        Places::begin();
        for is_reversed in [false, true] {
            IS_REVERSED.set(is_reversed);
            let (executions, execution) = (Arc::clone(&executions), Arc::clone(&execution));
            builder.check(move || {
                memory::release_all();
                executions.fetch_add(1, Relaxed);
                execution();
            });
        }
        figures::say(executions.load(Relaxed), &Places::met());
    }
}

/// Runs each of `works` in a thread, on what they share, and answers what they answer.
pub(crate) fn together<S: 'static, T: 'static, const N: usize>(
    shared: &Arc<S>,
    works: [fn(&S) -> T; N],
) -> [T; N] {
    let spawn = |work: fn(&S) -> T| {
        let shared = Arc::clone(shared);
        loom::thread::spawn(move || work(&shared))
    };
    let is_reversed = IS_REVERSED.get();
    let in_order = |n: usize| if is_reversed { N - 1 - n } else { n };
    let mut threads: [_; N] = std::array::from_fn(|n| Some(spawn(works[in_order(n)])));
    std::array::from_fn(|n| threads[in_order(n)].take().unwrap().join().unwrap())
}
