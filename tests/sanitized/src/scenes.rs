use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use allometer_core::{Config, Profiler};

use crate::{block::Block, exchange::Exchange};

const THREADS: u64 = 3;
/// Small enough that nearly each block is a sample at times, and never at others.
const INTERVAL: u64 = 256;

/// Threads allocate, resize, free, and hand over, while one session records them.
pub(crate) fn handover(rounds: u64) {
    let mut profiler = start(Config::default().sample_interval(INTERVAL));
    work_beside(rounds, || {
        profiler.snapshot().unwrap();
    });
    assert!(!profiler.report().unwrap().is_empty());
    profiler.stop();
}

/// The same, while sessions start, report and stop.
pub(crate) fn sessions(rounds: u64) {
    let mut interval = 1;
    work_beside(rounds, || {
        let mut profiler = start(Config::default().sample_interval(interval).lifetimes(interval == 1));
        interval = interval * 37 % 4096 + 1;
        let before = profiler.snapshot().unwrap();
        (0..20).for_each(|length| drop(Block::new(length)));
        let reader = profiler.reader();
        let after = profiler.snapshot().unwrap();
        assert!(after.since(&before).unwrap().totals().alloc.objects.value >= 0.0);
        profiler.stop();
        assert!(reader.snapshot().is_err());
    });
}

/// The same with tables that are full at once: sites beyond their bound, live samples that are thinned, or at an
/// interval of one not followed.
pub(crate) fn bounds(rounds: u64) {
    for interval in [1, 32] {
        let config = Config::default().sample_interval(interval).max_live_samples(40).max_sites(2);
        let mut profiler = start(config);
        work_beside(rounds / 2, || {
            profiler.snapshot().unwrap();
        });
        let stats = profiler.stats().unwrap();
        assert!(stats.site_overflow.samples > 0, "sites are full");
        if interval == 1 {
            assert!(stats.untracked.samples > 0, "live samples are full");
        } else {
            assert!(stats.sample_interval > interval, "live samples are thinned");
        }
        profiler.stop();
    }
}

/// More and more live objects, so that the filter in front of them grows, and then none.
pub(crate) fn growth(rounds: u64) {
    let mut profiler = start(Config::default().sample_interval(1));
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            thread::spawn(move || {
                let mut held: Vec<_> =
                    (0..rounds).map(|round| Block::new((thread + round) as usize % 90)).collect();
                while held.len() > 10 {
                    held.truncate(held.len() / 2);
                    held.extend((0..9).map(Block::new));
                    held.truncate(held.len().saturating_sub(9));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    profiler.stop();
}

fn start(config: Config) -> Profiler {
    Profiler::start(config.seed(7)).unwrap()
}

/// Threads at work on blocks that they hand over to each other, and beside them something else again and again.
fn work_beside(rounds: u64, mut beside: impl FnMut()) {
    static EXCHANGE: Exchange = Exchange::new();
    static DONE: AtomicBool = AtomicBool::new(false);
    DONE.store(false, Relaxed);
    let threads: Vec<_> =
        (1..=THREADS).map(|seed| thread::spawn(move || work(&EXCHANGE, seed, rounds))).collect();
    let joining = thread::spawn(move || {
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        DONE.store(true, Relaxed);
    });
    loop {
        beside();
        if DONE.load(Relaxed) {
            break;
        }
    }
    joining.join().unwrap();
    EXCHANGE.clear();
}

fn work(exchange: &Exchange, seed: u64, rounds: u64) {
    let mut random = seed;
    let mut draw = |below: u64| {
        // Xorshift (Marsaglia, 2003).
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    for _ in 0..rounds {
        let mut block = if draw(2) == 0 { one_site(draw(100)) } else { another_site(draw(3000)) };
        if draw(4) == 0 {
            block = block.resized(draw(2000) as usize);
        }
        let place = draw(1 << 20) as usize;
        let other = if draw(8) == 0 { exchange.take(place) } else { exchange.swap(place, block) };
        if let Some(other) = other.filter(|_| draw(3) == 0) {
            drop(other.resized(draw(500) as usize));
        }
    }
}

#[inline(never)]
fn one_site(length: u64) -> Block {
    std::hint::black_box(Block::new(length as usize))
}

#[inline(never)]
fn another_site(length: u64) -> Block {
    std::hint::black_box(Block::new(length as usize + 1))
}
