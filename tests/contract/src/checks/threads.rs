//! Threads: frees elsewhere, threads older than the session, threads that end.

use std::{
    cell::RefCell,
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
};

use allometer_core::Config;

use crate::{Block, Check, Recording, Subject, Values};

pub(super) const CHECKS: &[Check] = &[
    Check::new("threads::allocated_there_freed_here", allocated_there_freed_here),
    Check::new("threads::allocated_here_resized_and_freed_there", allocated_here_resized_and_freed_there),
    Check::new("threads::a_start_reaches_threads_that_run", a_start_reaches_threads_that_run),
    Check::new("threads::many_at_one_site_lose_nothing", many_at_one_site_lose_nothing),
    Check::new("threads::allocation_while_a_thread_ends_counts", allocation_while_a_thread_ends_counts),
];

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn grown(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

fn allocated_there_freed_here(_: &Subject) {
    let recording = Recording::exact();
    let (blocks, span) = recording.during(|| {
        let there = thread::spawn(|| (1..=100).map(made).collect::<Vec<_>>());
        there.join().unwrap()
    });
    assert_eq!(span.at("threads::made"), Values::new((100, 5050), (100, 5050)));
    drop(blocks);
    assert_eq!(recording.so_far().at("threads::made"), Values::new((100, 5050), (0, 0)));
}

fn allocated_here_resized_and_freed_there(_: &Subject) {
    let recording = Recording::exact();
    let (blocks, span) = recording.during(|| {
        let here: Vec<_> = (1..=100).map(made).collect();
        let there = thread::spawn(move || here.into_iter().map(|block| grown(block, 1000)).collect());
        there.join().unwrap()
    });
    let _: &Vec<Block> = &blocks;
    assert_eq!(span.at("threads::made"), Values::new((100, 5050), (0, 0)));
    assert_eq!(span.at("threads::grown"), Values::new((100, 100_000), (100, 100_000)));
    thread::spawn(move || drop(blocks)).join().unwrap();
    assert_eq!(recording.so_far().at("threads::grown"), Values::new((100, 100_000), (0, 0)));
}

/// A thread that makes blocks when it is told to, and gives them away.
struct Worker {
    orders: Sender<usize>,
    blocks: Receiver<Vec<Block>>,
    thread: JoinHandle<()>,
}

impl Worker {
    fn spawn() -> Self {
        let (orders, to_do) = channel();
        let (done, blocks) = channel();
        let thread = thread::spawn(move || {
            for count in to_do {
                let made = (0..count).map(|_| made(50)).collect();
                if done.send(made).is_err() {
                    break;
                }
            }
        });
        Self { orders, blocks, thread }
    }

    fn make(&self, count: usize) -> Vec<Block> {
        self.orders.send(count).unwrap();
        self.blocks.recv().unwrap()
    }

    fn finish(self) {
        drop(self.orders);
        self.thread.join().unwrap();
    }
}

fn a_start_reaches_threads_that_run(_: &Subject) {
    let workers: Vec<_> = (0..4).map(|_| Worker::spawn()).collect();
    // Each has allocated without a session, and then in one that samples next to nothing.
    let order = |count| workers.iter().flat_map(|worker| worker.make(count)).collect::<Vec<_>>();
    drop(order(10));
    for round in 0..3 {
        let mut rare = Recording::start(Config::default().sample_interval(1 << 50));
        drop(order(10));
        rare.stop();
        drop(order(10));
        let recording = Recording::exact();
        let (blocks, span) = recording.during(|| order(100));
        assert_eq!(span.at("threads::made"), Values::new((400, 20_000), (400, 20_000)), "round {round}");
        drop(blocks);
        assert_eq!(recording.so_far().at("threads::made").live_objects, 0, "round {round}");
    }
    workers.into_iter().for_each(Worker::finish);
}

fn many_at_one_site_lose_nothing(_: &Subject) {
    const THREADS: i64 = 8;
    const ROUNDS: i64 = 5000;
    let recording = Recording::exact();
    let ((), span) = recording.during(|| {
        let threads: Vec<_> = (0..THREADS).map(|_| thread::spawn(churn)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    // A round makes a block of 40 bytes and one of 80, and grows the first to 120.
    assert_eq!(span.at("threads::made"), Values::new((2 * THREADS * ROUNDS, THREADS * ROUNDS * 120), (0, 0)));
    assert_eq!(span.at("threads::grown"), Values::new((THREADS * ROUNDS, THREADS * ROUNDS * 120), (0, 0)));

    fn churn() {
        for _ in 0..ROUNDS {
            let first = made(40);
            let second = made(80);
            drop((grown(first, 120), second));
        }
    }
}

/// Allocates when its thread ends, and leaves nothing behind.
struct Late {
    kept: Vec<Block>,
}

impl Drop for Late {
    fn drop(&mut self) {
        self.kept.extend((0..100).map(|_| at_the_end()));
    }
}

#[inline(never)]
fn at_the_end() -> Block {
    Block::new(30, 8).unwrap()
}

thread_local! {
    static EARLY: RefCell<Option<Late>> = const { RefCell::new(None) };
    static LATER: RefCell<Option<Late>> = const { RefCell::new(None) };
}

fn allocation_while_a_thread_ends_counts(_: &Subject) {
    const THREADS: i64 = 100;
    let late = || Some(Late { kept: Vec::new() });
    let recording = Recording::exact();
    let ((), span) = recording.during(|| {
        for round in 0..THREADS / 2 {
            let threads = [0, 1].map(|side| {
                thread::spawn(move || {
                    // Destructors run in an order that follows the first use: before and after any
                    // that the allocator itself may have, which is first used in between.
                    EARLY.with(|slot| *slot.borrow_mut() = late());
                    drop(made(10 + (round + side) as usize));
                    LATER.with(|slot| *slot.borrow_mut() = late());
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        }
    });
    // Two destructors a thread, a hundred blocks each.
    assert_eq!(span.at("threads::at_the_end"), Values::new((THREADS * 200, THREADS * 6000), (0, 0)));
}
