//! S4: short threads beside sessions that come and go.

use std::{hint::black_box, thread};

use allometer_contract::{Block, Decoded, Values, resident};
use allometer_core::Profiler;
use allometer_lines::{Form, Outcome};

use crate::{
    line::{Line, Part},
    load::made,
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S4",
    target: "10 000 short threads with start, stop and report in a loop: 0 crashes, memory back within 16 MiB, no \
             sample lost at thread exit",
    parts: |_| {
        const {
            &[
                Part::new("sessions", sessions),
                Part::new("one session", one_session),
                Part::new("locks that allocate", locks_that_allocate),
            ]
        }
    },
};

const AT_A_TIME: usize = 8;
const MOST_MEMORY: i64 = 16 << 20;

#[inline(never)]
fn passed_on() -> Block {
    black_box("passed_on");
    Block::new(40, 8).unwrap()
}

/// So many threads, a few at a time; each answers a block that it does not free.
fn threads(count: usize, mut with: impl FnMut(Vec<Block>)) {
    for _ in 0..count / AT_A_TIME {
        let threads: Vec<_> = (0..AT_A_TIME)
            .map(|thread| {
                thread::spawn(move || {
                    let kept: Vec<_> = (0..20).map(|at| made(at % 7 + thread, 10 + at)).collect();
                    drop(kept);
                    passed_on()
                })
            })
            .collect();
        with(threads.into_iter().map(|thread| thread.join().unwrap()).collect());
    }
}

fn sessions(_: &Subject, form: Form) -> Outcome {
    let count = form.pick(800, 10_000);
    let mut configs = [tables::tiny(), tables::thinned(), tables::exact()].into_iter().cycle();
    let mut profiler: Option<Profiler> = None;
    let mut reports = 0;
    let mut round = |blocks: Vec<Block>| {
        if let Some(mut profiler) = profiler.take() {
            reports += usize::from(profiler.report().is_ok_and(|report| !report.is_empty()));
        }
        profiler = configs.next().map(|config| Profiler::start(config).unwrap());
        // Of the session before.
        drop(blocks);
    };
    // Memory that is taken once, and the names.
    threads(count / 10, &mut round);
    let before = resident();
    threads(count, &mut round);
    let more = (resident() - before) as f64 / f64::from(1 << 20);
    Outcome::new()
        .with(more < (MOST_MEMORY >> 20) as f64, format!("{more:.1} MiB more after {count} threads"))
        .with(reports >= count / AT_A_TIME, format!("{reports} reports"))
}

fn one_session(_: &Subject, form: Form) -> Outcome {
    let count = form.pick(800, 10_000) / AT_A_TIME * AT_A_TIME;
    let mut profiler = Profiler::start(tables::exact()).unwrap();
    let mut kept = Vec::with_capacity(count);
    threads(count, |blocks| kept.extend(blocks));
    let each = |objects: usize| (objects as i64, objects as i64 * 40);
    let all = Decoded::new(&profiler.report().unwrap()).at("s04_threads::passed_on");
    let others = Decoded::new(&profiler.snapshot().unwrap().profile().to_pprof()).at("load::made");
    drop(kept);
    let freed = Decoded::new(&profiler.report().unwrap()).at("s04_threads::passed_on");
    let lost = count as i64 - all.alloc_objects;
    Outcome::new()
        .with(all == Values::new(each(count), each(count)), format!("{lost} of {count} lost"))
        .with(freed == Values::default(), format!("live at the end {}", freed.live_objects))
        .with(
            (others.alloc_objects, others.live_objects) == (20 * count as i64, 0),
            format!("{} of {} others, live {}", others.alloc_objects, 20 * count, others.live_objects),
        )
}

/// A lock that makes a table of those who wait for it, by the allocator whose hook is at work.
fn locks_that_allocate(_: &Subject, form: Form) -> Outcome {
    const THREADS: usize = 16;
    let rounds = form.pick(2_000, 50_000);
    let profiler = Profiler::start(tables::tiny()).unwrap();
    let locked = parking_lot::Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let locked = &locked;
            scope.spawn(move || {
                for round in 0..rounds / THREADS {
                    let mut blocks = locked.lock();
                    blocks.push(made(thread, 1 + round % 50));
                    if blocks.len() > 100 {
                        blocks.clear();
                    }
                }
            });
        }
    });
    let samples = profiler.stats().unwrap().samples;
    Outcome::new().with(samples as usize > rounds / 2, format!("{samples} samples of {THREADS} threads"))
}
