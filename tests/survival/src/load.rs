//! Threads that allocate, resize, free, and hand blocks to each other.

use std::{
    hint::black_box,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
};

use allometer_contract::Block;
use allometer_lines::Random;

/// Threads at work.
#[derive(Debug)]
pub(crate) struct Load {
    /// Where blocks change hands.
    places: [Mutex<Option<Block>>; PLACES],
    is_done: AtomicBool,
    /// Changes so far, over all threads.
    changes: AtomicU64,
}

const PLACES: usize = 64;
/// Blocks that a thread keeps for itself.
const KEPT: usize = 32;
const LARGEST: usize = 400;

/// Runs `body` beside so many threads that work; all that they have requested is freed when this returns.
pub(crate) fn beside<T>(threads: u64, body: impl FnOnce(&Load) -> T) -> T {
    let load = Load {
        places: [const { Mutex::new(None) }; PLACES],
        is_done: AtomicBool::new(false),
        changes: AtomicU64::new(0),
    };
    thread::scope(|scope| {
        for thread in 0..threads {
            let load = &load;
            scope.spawn(move || {
                let mut hands = Hands::new(thread);
                while !load.is_done.load(SeqCst) {
                    hands.change(load);
                }
            });
        }
        let _done = Done(&load);
        body(&load)
    })
}

/// Ends the threads, when `body` has panicked too.
struct Done<'a>(&'a Load);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.is_done.store(true, SeqCst);
    }
}

impl Load {
    /// How many changes there were so far.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(SeqCst)
    }

    /// Comes back when there were so many more.
    pub(crate) fn goes_on(&self, more: u64) {
        let until = self.changes() + more;
        allometer_lines::wait_until(|| self.changes() >= until);
    }
}

/// One thread at work.
struct Hands {
    random: Random,
    kept: [Option<Block>; KEPT],
}

impl Hands {
    fn new(thread: u64) -> Self {
        Self { random: Random::new(thread), kept: [const { None }; KEPT] }
    }

    /// Makes, resizes, frees or passes on one block.
    fn change(&mut self, load: &Load) {
        let (own, depth) = (self.random.below(KEPT), self.random.below(24));
        let size = 1 + self.random.below(LARGEST);
        match self.random.below(8) {
            0..3 => self.kept[own] = made(depth, size),
            3..5 => {
                self.kept[own] =
                    self.kept[own].take().map(|block| block.resized(size).unwrap_or_else(|same| same));
            }
            5 => self.kept[own] = None,
            _ => {
                let place = &load.places[self.random.below(PLACES)];
                let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::swap(&mut *place, &mut self.kept[own]);
            }
        }
        load.changes.fetch_add(1, SeqCst);
    }
}

/// A block of some size, from a stack of some depth.
#[inline(never)]
pub(crate) fn made(depth: usize, size: usize) -> Option<Block> {
    let block = match depth {
        0 => Block::new(size, 8),
        _ => made(black_box(depth - 1), size),
    };
    black_box(depth);
    block
}
