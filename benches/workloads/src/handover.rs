//! One thread allocates, another frees.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use crate::{
    block::{Block, block, free},
    random::Random,
};

/// Blocks that are handed over at a time: so many that the handing over does not count.
const BATCH: u64 = 4096;

/// Where the one basket lies. The threads take turns, so that each run is the same.
struct Counter {
    basket: Mutex<Basket>,
    changed: Condvar,
}

struct Basket {
    blocks: Vec<Block>,
    /// Batches that were brought and not taken away yet: none or one.
    is_full: bool,
}

impl Counter {
    /// Waits until the basket is full, or empty.
    fn wait(&self, full: bool) -> MutexGuard<'_, Basket> {
        let basket = self.basket.lock().unwrap_or_else(PoisonError::into_inner);
        let not_yet = |basket: &mut Basket| basket.is_full != full;
        self.changed.wait_while(basket, not_yet).unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the basket back, full or empty.
    fn change(&self, mut basket: MutexGuard<'_, Basket>) {
        basket.is_full = !basket.is_full;
        drop(basket);
        self.changed.notify_one();
    }
}

/// `n` blocks of 16 to 1 039 bytes, rounded up to whole batches, allocated by one thread and freed by another.
pub(crate) fn handover(n: u64) {
    let basket = Basket { blocks: Vec::with_capacity(BATCH as usize), is_full: false };
    let counter = &Counter { basket: Mutex::new(basket), changed: Condvar::new() };
    let batches = n.div_ceil(BATCH);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut random = Random::new(1);
            for _ in 0..batches {
                let mut basket = counter.wait(false);
                for _ in 0..BATCH {
                    basket.blocks.push(block(16 + (random.next() as usize >> 22)));
                }
                counter.change(basket);
            }
        });
        scope.spawn(move || {
            for _ in 0..batches {
                let mut basket = counter.wait(true);
                basket.blocks.drain(..).for_each(free);
                counter.change(basket);
            }
        });
    });
}
