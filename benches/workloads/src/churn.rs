//! Blocks that are replaced, for a time that is measured.

use std::{hint::black_box, mem, thread};

use crate::{
    block::{Block, block, free},
    cpu_time::cpu_time,
    pairs::pairs,
    random::Random,
    subject::{Answer, Subject},
};

/// `n` pairs on each of `workers` threads, of blocks of `size` bytes where one is given; tells the CPU time of it and
/// what was recorded meanwhile. Without a session nothing is recorded.
pub(crate) fn churn(n: u64, workers: u64, size: Option<usize>, subject: &dyn Subject) -> Answer<()> {
    let start = cpu_time()?;
    thread::scope(|scope| {
        for seed in 1..=workers {
            scope.spawn(move || match size {
                Some(size) => of_one_size(n, seed, size),
                None => drop(pairs(n, seed)),
            });
        }
    });
    println!("cpu_nanoseconds {}", (cpu_time()? - start).as_nanos());
    let totals = subject.totals().unwrap_or_default();
    println!("samples {}\nlost {}", totals.samples, totals.lost);
    Ok(())
}

fn of_one_size(n: u64, seed: u64, size: usize) {
    const SLOTS: usize = 64;
    let mut random = Random::new(seed);
    let mut slots: Vec<Block> = (0..SLOTS).map(|_| block(0)).collect();
    for _ in 0..n {
        let slot = &mut slots[random.next() as usize % SLOTS];
        free(mem::replace(slot, black_box(block(size))));
    }
}
