//! Pairs on two threads.

use std::thread;

use crate::pairs::pairs;

/// `n` pairs on each of two threads.
pub(crate) fn threads(n: u64) {
    thread::scope(|scope| {
        for seed in 1..=2 {
            scope.spawn(move || drop(pairs(n, seed)));
        }
    });
}
