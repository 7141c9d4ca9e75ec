//! Threads that run already, and threads that come and go.

use std::{sync::mpsc, thread};

use allometer_profile::Symbolizer;

use super::{
    Check, Subject, blocks,
    figures::{at, expect},
};
use crate::Block;

pub(super) const CHECKS: &[Check] = &[
    Check::new("threads::a_start_reaches_threads_that_run", a_start_reaches_threads_that_run),
    Check::new("threads::short_ones_are_counted", short_ones_are_counted),
];

const SIZE: usize = 1024;

#[inline(never)]
fn made(size: usize) -> Block {
    Block::new(size, 8).unwrap()
}

fn a_start_reaches_threads_that_run(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    const OBJECTS: usize = 10_000;
    let threads = [(); 4].map(|()| {
        let (orders, asked) = mpsc::channel::<()>();
        let (done, answers) = mpsc::channel();
        let thread = thread::spawn(move || {
            drop(blocks(OBJECTS, SIZE, made));
            done.send(Vec::new()).unwrap();
            asked.recv().unwrap();
            done.send(blocks(OBJECTS, SIZE, made)).unwrap();
            asked.recv().unwrap();
        });
        let _: Vec<Block> = answers.recv().unwrap();
        (thread, orders, answers)
    });
    switch.start(None).unwrap();
    let kept = threads.each_ref().map(|(_, orders, answers)| {
        orders.send(()).unwrap();
        answers.recv().unwrap()
    });
    let profile = switch.source().unwrap().moment().unwrap().profile(&mut Symbolizer::new());
    let interval = profile.metadata.sample_interval;
    expect(known, at(&profile, "threads::made").alloc, interval, 4 * OBJECTS, SIZE);
    expect(known, at(&profile, "threads::made").live, interval, 4 * OBJECTS, SIZE);
    drop(kept);
    for (thread, orders, _) in threads {
        orders.send(()).unwrap();
        thread.join().unwrap();
    }
}

fn short_ones_are_counted(subject: &Subject<'_>) {
    let Subject { switch, known } = *subject;
    const THREADS: usize = 500;
    const OBJECTS: usize = 64;
    switch.start(None).unwrap();
    let mut kept = Vec::new();
    for _ in 0..THREADS {
        kept.push(thread::spawn(|| blocks(OBJECTS, SIZE, made)).join().unwrap());
    }
    let profile = switch.source().unwrap().moment().unwrap().profile(&mut Symbolizer::new());
    let interval = profile.metadata.sample_interval;
    expect(known, at(&profile, "threads::made").alloc, interval, THREADS * OBJECTS, SIZE);
    expect(known, at(&profile, "threads::made").live, interval, THREADS * OBJECTS, SIZE);
}
