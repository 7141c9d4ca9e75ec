//! S1: forks of a process whose threads allocate and sample.

// unsafe: asks the loader, by its callback.
#![allow(unsafe_code)]

use std::{
    ffi::c_void,
    hint::black_box,
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
};

use allometer_contract::{Block, Decoded, Values};
use allometer_core::{Config, Error, Profiler, measure_process, measure_thread};
use allometer_lines::{Form, Outcome};

use crate::{
    child::{self, Ended},
    line::{Line, Part},
    load,
    signals::{self, Where},
    stepping,
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S1",
    target: "1 000 forks of threads that allocate and sample; the child frees inherited blocks, allocates, spawns a \
             thread, starts a session, reports, exits: 0 hangs, 0 crashes",
    parts: |subject| {
        if subject.faulty.is_none() {
            return const { &ANYWHERE };
        }
        const {
            let [one, two, three, four, five] = ANYWHERE;
            &[one, two, three, four, five, Part::new("between instructions", between_instructions)]
        }
    },
};

/// What every provider has to survive.
const ANYWHERE: [Part; 5] = [
    Part::new("without a session", without_a_session),
    Part::new("beside reports", beside_reports),
    Part::new("beside starts", beside_starts),
    Part::new("beside measurements", beside_measurements),
    Part::new("with the loader held", with_the_loader_held),
];

const THREADS: u64 = 4;
const INHERITED: usize = 100;

#[inline(never)]
fn inherited() -> Block {
    black_box("inherited");
    Block::new(72, 8).unwrap()
}

#[inline(never)]
fn in_child() -> Block {
    black_box("in_child");
    Block::new(112, 8).unwrap()
}

fn without_a_session(_: &Subject, form: Form) -> Outcome {
    load::beside(THREADS, |_| forks(form.pick(20, 250), |_| {}))
}

fn beside_reports(_: &Subject, form: Form) -> Outcome {
    let configs = [tables::tiny(), tables::thinned(), tables::exact()];
    configs.into_iter().fold(Outcome::new(), |outcome, config| {
        let profiler = Profiler::start(config).unwrap();
        let mut reader = profiler.reader();
        let work = || while reader.report().is_ok_and(|report| !report.is_empty()) {};
        thread::scope(|scope| {
            let reporter = scope.spawn(work);
            let outcome = load::beside(THREADS, |_| {
                let of_parent = profiler.reader();
                let is_over = move |inactive: &mut Vec<bool>| {
                    inactive.push(of_parent.snapshot().is_err_and(|error| error == Error::Inactive));
                };
                let forks = forks(form.pick(20, 170), is_over);
                merge(outcome, forks)
            });
            drop(profiler);
            reporter.join().unwrap();
            outcome
        })
    })
}

fn beside_starts(_: &Subject, form: Form) -> Outcome {
    let work = || drop(Profiler::start(tables::tiny()).unwrap());
    load::beside(THREADS, |_| beside(work, || forks(form.pick(20, 125), |_| {})))
}

fn beside_measurements(_: &Subject, form: Form) -> Outcome {
    let work = || {
        let (block, usage) = measure_process(in_child).unwrap();
        assert!(usage.bytes >= 112);
        drop(block);
    };
    load::beside(THREADS, |_| beside(work, || forks(form.pick(20, 125), |_| {})))
}

/// While a thread goes through the loader's list: in the child its lock is held for ever.
fn with_the_loader_held(_: &Subject, form: Form) -> Outcome {
    let _profiler = Profiler::start(tables::exact()).unwrap();
    let [is_held, may_go] = [Barrier::new(2), Barrier::new(2)];
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut barriers = (&is_held, &may_go);
            // SAFETY: the callback has the signature that is asked for, and its data outlives the call
            // (dl_iterate_phdr(3)).
            unsafe { libc::dl_iterate_phdr(Some(wait_in_loader), (&raw mut barriers).cast()) };
        });
        is_held.wait();
        let outcome = load::beside(THREADS, |_| forks(form.pick(10, 100), |_| {}));
        may_go.wait();
        outcome
    })
}

unsafe extern "C" fn wait_in_loader(_: *mut libc::dl_phdr_info, _: usize, barriers: *mut c_void) -> i32 {
    // SAFETY: what was passed along, which lives during the call.
    let (is_held, may_go) = unsafe { *barriers.cast::<(&Barrier, &Barrier)>() };
    is_held.wait();
    may_go.wait();
    1
}

/// Forks in a handler, which has interrupted the hook of the only thread that the child has.
fn between_instructions(_: &Subject, form: Form) -> Outcome {
    let most = form.pick(30, 1000);
    signals::install(stepping::SIGNAL, fork_sometimes, Where::Nested);
    for config in [tables::exact(), tables::thinned(), tables::tiny()] {
        let _profiler = Profiler::start(config).unwrap();
        let until = FORKS.made.load(SeqCst) + most / 3 + 1;
        for number in 0usize.. {
            if FORKS.made.load(SeqCst) >= until {
                break;
            }
            let blocks: Vec<Block> = (0..INHERITED).map(|_| inherited()).collect();
            stepping::each_instruction(|| {
                let block = load::made(number % 9, 1 + number % 500);
                drop(block.map(|block| block.resized(1 + number % 300)));
            });
            if FORKS.is_child.load(SeqCst) {
                child::end_with(|| {
                    works(blocks);
                    0
                });
            }
        }
    }
    let (made, good) = (FORKS.made.load(SeqCst), FORKS.good.load(SeqCst));
    Outcome::new().with(good == made && made >= most, format!("{good} of {made} forks"))
}

static FORKS: Forks = Forks {
    steps: AtomicU64::new(0),
    made: AtomicU64::new(0),
    good: AtomicU64::new(0),
    is_child: AtomicBool::new(false),
};

/// What the handler that forks keeps.
struct Forks {
    steps: AtomicU64,
    made: AtomicU64,
    good: AtomicU64,
    is_child: AtomicBool,
}

/// Steps between two forks: not a divisor of what is stepped through again and again.
const STEPS: u64 = 101;

extern "C" fn fork_sometimes(_: i32, _: *mut libc::siginfo_t, interrupted: *mut c_void) {
    if !FORKS.steps.fetch_add(1, SeqCst).is_multiple_of(STEPS) {
        return;
    }
    match child::fork() {
        // The hook goes on, in a process of its own.
        0 => {
            stepping::end(interrupted);
            FORKS.is_child.store(true, SeqCst);
        }
        child => {
            FORKS.made.fetch_add(1, SeqCst);
            FORKS.good.fetch_add(u64::from(child::wait(child) == Ended::With(0)), SeqCst);
        }
    }
}

/// Runs `body` beside a thread that repeats `work`.
fn beside<T>(work: impl Fn() + Sync, body: impl FnOnce() -> T) -> T {
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(SeqCst) {
                work();
            }
        });
        let answer = body();
        is_done.store(true, SeqCst);
        answer
    })
}

/// So many forks, one after the other. `also` adds what else has to hold in the child.
fn forks(count: usize, also: impl Fn(&mut Vec<bool>)) -> Outcome {
    let mut ended = Vec::new();
    for _ in 0..count {
        let blocks: Vec<Block> = (0..INHERITED).map(|_| inherited()).collect();
        ended.push(child::forked(|| {
            let mut holds = Vec::new();
            also(&mut holds);
            works(blocks);
            i32::from(holds.contains(&false))
        }));
    }
    let good = ended.iter().filter(|ended| **ended == Ended::With(0)).count();
    let bad = ended.iter().find(|ended| **ended != Ended::With(0));
    let first = bad.map(|ended| format!(", the first other one {ended:?}")).unwrap_or_default();
    Outcome::new().with(good == count, format!("{good} of {count} forks{first}"))
}

/// All that a process may want to do, with blocks that it has inherited.
fn works(mut blocks: Vec<Block>) {
    blocks.truncate(INHERITED / 2);
    drop(in_child());
    let allocated = thread::spawn(|| in_child().layout_of().size()).join().unwrap();
    assert_eq!(allocated, 112);
    let (_, usage) = measure_thread(in_child).unwrap();
    assert_eq!(usage.bytes, 112);
    let mut profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let kept = in_child();
    drop(in_child());
    // Of the parent's session, if it had one: nothing of this one's.
    drop(blocks);
    let report = Decoded::new(&profiler.report().unwrap());
    assert_eq!(report.at("s01_forks::in_child"), Values::new((2, 224), (1, 112)));
    assert_eq!(report.at("s01_forks::inherited"), Values::default());
    drop(kept);
    profiler.stop();
    assert!(!profiler.is_active());
}

fn merge(one: Outcome, other: Outcome) -> Outcome {
    let good = other.verdict == allometer_lines::Verdict::Ok;
    one.with(good, other.measured)
}
