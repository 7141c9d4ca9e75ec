//! X2: at interval 1, every request from the moment at which `start` has returned, on threads that run.

use std::{
    hint,
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
};

use allometer_contract::{Block, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};

use crate::{line::Line, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X2",
    target: "interval 1 with four threads running: every request after start returned",
    parts: |_| const { &[Part::only(run)] },
};

const THREADS: i64 = 4;
/// Requests of each thread after a start.
const EACH: i64 = 50;
const SIZE: i64 = 24;

/// The threads see a start only by this number, which is raised when it has returned; until then they
/// allocate as they like.
static STARTED: AtomicU64 = AtomicU64::new(0);
static END: AtomicBool = AtomicBool::new(false);

#[inline(never)]
fn before() {
    drop(Block::new(16, 8).unwrap());
}

#[inline(never)]
fn after() {
    drop(Block::new(SIZE as usize, 8).unwrap());
}

fn run(_: &Subject, form: Form) -> Outcome {
    let starts = form.pick(30, 1000);
    let pause = Barrier::new(THREADS as usize + 1);
    let mut wrong = Vec::new();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| work(&pause));
        }
        for start in 1..=starts {
            // The session before: none, one that samples next to nothing, one that samples everything.
            if start % 3 != 0 {
                let interval = if start % 3 == 1 { 1 << 40 } else { 1 };
                drop(Recording::start(Config::default().sample_interval(interval)));
            }
            let recording = Recording::exact();
            STARTED.store(start, SeqCst);
            pause.wait();
            let values = recording.so_far().at("x02_running_threads::after");
            let requests = THREADS * EACH;
            if (values.alloc_objects, values.alloc_bytes, values.live_objects)
                != (requests, requests * SIZE, 0)
            {
                wrong.push((start, values.alloc_objects));
            }
            drop(recording);
            pause.wait();
        }
        END.store(true, SeqCst);
    });
    let requests = starts as i64 * THREADS * EACH;
    let mut outcome = Outcome::new().with(
        wrong.is_empty(),
        format!("{requests} requests after {starts} starts, wrong after {}", wrong.len()),
    );
    if let Some((start, objects)) = wrong.first() {
        outcome = outcome.with(false, format!("start {start}: {objects} of {}", THREADS * EACH));
    }
    outcome
}

/// Allocates on and on; after each start so many times, and then waits until that is read.
fn work(pause: &Barrier) {
    let mut seen = 0;
    while !END.load(SeqCst) {
        let started = STARTED.load(SeqCst);
        if started == seen {
            before();
            (0..100).for_each(|_| hint::spin_loop());
            continue;
        }
        (0..EACH).for_each(|_| after());
        seen = started;
        pause.wait();
        pause.wait();
    }
}
