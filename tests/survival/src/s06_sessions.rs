//! S6: sessions that start and stop as fast as they can, from anywhere, with hooks that do not come back.

// unsafe: a handler's way to the session that it stops.
#![allow(unsafe_code)]

use std::{
    ffi::c_void,
    hint::black_box,
    ptr,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use allometer_contract::{Block, Decoded, Values};
use allometer_core::{Error, Profiler};
use allometer_lines::{Form, Outcome, wait_until};

use crate::{
    line::{Line, Part},
    load::{self, made},
    signals::{self, Where},
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S6",
    target: "start and stop as fast as possible for 60 s under load, stop from a handler over its own hook, a thread \
             frozen inside a hook: no crash, no wait, nothing of one session in another",
    parts: |subject| {
        if subject.faulty.is_none() {
            return const {
                &[Part::new("under load", under_load), Part::new("stopped by a handler", by_a_handler)]
            };
        }
        const {
            &[
                Part::new("under load", under_load),
                Part::new("stopped by a handler", by_a_handler),
                Part::new("frozen anywhere", frozen_anywhere),
                Part::new("frozen in a resize", frozen_in_a_resize),
            ]
        }
    },
};

#[inline(never)]
fn of_this_session() -> Block {
    black_box("of_this_session");
    Block::new(88, 8).unwrap()
}

#[inline(never)]
fn of_others() -> Block {
    black_box("of_others");
    Block::new(104, 8).unwrap()
}

fn decoded(profiler: &Profiler) -> Decoded {
    Decoded::new(&profiler.snapshot().unwrap().profile().to_pprof())
}

fn under_load(_: &Subject, form: Form) -> Outcome {
    let end = Instant::now() + Duration::from_secs(form.pick(2, 60));
    let mut configs = [tables::tiny(), tables::exact(), tables::thinned()].into_iter().cycle();
    let (mut sessions, mut looked, mut wrong) = (0u32, 0, 0);
    // Objects that cross sessions.
    let mut crossing: Vec<Block> = Vec::with_capacity(64);
    load::beside(8, |_| {
        while Instant::now() < end || looked < 2 {
            let mut profiler = Profiler::start(configs.next().unwrap()).unwrap();
            crossing.truncate(32);
            crossing.extend((0..32).map(|_| of_others()));
            // The exact ones.
            if sessions % 3 == 1 && sessions % 64 == 1 {
                let kept = of_this_session();
                drop(of_this_session());
                let report = decoded(&profiler);
                looked += 1;
                let [mine, others] =
                    ["of_this_session", "of_others"].map(|name| report.at(&format!("s06_sessions::{name}")));
                let expected = [((2, 176), (1, 88)), ((32, 32 * 104), (32, 32 * 104))];
                let expected = expected.map(|(allocated, live)| Values::new(allocated, live));
                wrong += u32::from([mine, others] != expected);
                drop(kept);
            }
            profiler.stop();
            sessions += 1;
        }
    });
    Outcome::new()
        .with(true, format!("{sessions} sessions"))
        .with(wrong == 0, format!("{wrong} of {looked} looked at are wrong"))
}

/// The session that a handler stops.
static STOPPED_BY_HANDLER: AtomicPtr<Profiler> = AtomicPtr::new(ptr::null_mut());

extern "C" fn stop_session(_: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
    let profiler = STOPPED_BY_HANDLER.swap(ptr::null_mut(), SeqCst);
    // SAFETY: the profiler outlives the wait for this, and is not used meanwhile.
    if let Some(profiler) = unsafe { profiler.as_mut() } {
        profiler.stop();
        IS_STOPPED.store(true, SeqCst);
    }
}

static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Threads that work until they are told to end.
struct Workers {
    threads: Vec<JoinHandle<()>>,
    is_over: &'static AtomicBool,
}

impl Workers {
    fn new(count: usize) -> Self {
        let is_over = &*Box::leak(Box::new(AtomicBool::new(false)));
        let work = |thread: usize| {
            let mut kept: [Option<Block>; 16] = [const { None }; 16];
            for number in thread.. {
                if is_over.load(SeqCst) {
                    break;
                }
                let place = number * 7 % 16;
                kept[place] = match kept[place].take() {
                    Some(block) if number % 3 == 0 => {
                        Some(block.resized(1 + number % 200).unwrap_or_else(|same| same))
                    }
                    _ => made(number % 20, 1 + number % 100),
                };
            }
        };
        let threads = (0..count).map(|thread| thread::spawn(move || work(thread))).collect();
        Self { threads, is_over }
    }

    fn end(self) {
        self.is_over.store(true, SeqCst);
        self.threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

fn by_a_handler(_: &Subject, form: Form) -> Outcome {
    signals::install(libc::SIGUSR1, stop_session, Where::Nested);
    let workers = Workers::new(3);
    let sessions = form.pick(300, 5000);
    let mut stopped = 0;
    for number in 0..sessions {
        let config = if number % 2 == 0 { tables::tiny() } else { tables::thinned() };
        let mut profiler = Profiler::start(config).unwrap();
        IS_STOPPED.store(false, SeqCst);
        STOPPED_BY_HANDLER.store(&raw mut profiler, SeqCst);
        // By then the threads are somewhere in their hooks.
        (0..number % 50).for_each(|_| drop(of_others()));
        signals::send(libc::SIGUSR1, &workers.threads[number % 3]);
        wait_until(|| IS_STOPPED.load(SeqCst));
        stopped += usize::from(!profiler.is_active() && profiler.snapshot().is_err());
    }
    workers.end();
    Outcome::new().with(stopped == sessions, format!("{stopped} of {sessions} sessions stopped"))
}

static FROZEN: AtomicUsize = AtomicUsize::new(0);
static IS_THAWED: AtomicBool = AtomicBool::new(true);

extern "C" fn freeze(_: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
    FROZEN.fetch_add(1, SeqCst);
    while !IS_THAWED.load(SeqCst) {
        thread::yield_now();
    }
    FROZEN.fetch_sub(1, SeqCst);
}

fn frozen_anywhere(_: &Subject, form: Form) -> Outcome {
    signals::install(libc::SIGUSR1, freeze, Where::Nested);
    let workers = Workers::new(3);
    let rounds = form.pick(100, 2000);
    let mut wrong = 0;
    let mut profiler = Profiler::start(tables::exact()).unwrap();
    for round in 0..rounds {
        IS_THAWED.store(false, SeqCst);
        workers.threads.iter().for_each(|thread| signals::send(libc::SIGUSR1, thread));
        wait_until(|| FROZEN.load(SeqCst) == 3);
        profiler.stop();
        // Only this thread is at work in this one, until the others go on where they were.
        let next = Profiler::start(tables::exact()).unwrap();
        let kept = of_this_session();
        let look = |thawed: &str| {
            let report = decoded(&next);
            let mine = report.at("s06_sessions::of_this_session") == Values::new((1, 88), (1, 88));
            mine && (!thawed.is_empty() || report.at("load::made") == Values::default())
        };
        wrong += usize::from(!look(""));
        IS_THAWED.store(true, SeqCst);
        wait_until(|| FROZEN.load(SeqCst) == 0);
        wrong += usize::from(round % 8 == 0 && !look("thawed"));
        drop(kept);
        profiler = next;
    }
    workers.end();
    // What began in an earlier session is no object of this one, and what began in this one is freed.
    let live = decoded(&profiler).at("load::made").live_objects;
    Outcome::new()
        .with(wrong == 0, format!("{wrong} of {rounds} sessions wrong"))
        .with(live == 0, format!("live at the end {live}"))
}

/// As many as there are places for sessions.
const SEATS: usize = 16;

/// In the middle of a resize, with the old entry taken out.
fn frozen_in_a_resize(subject: &Subject, form: Form) -> Outcome {
    let gate = &subject.faulty().gate;
    let mut wrong = 0;
    let mut refused = 0;
    let rounds = form.pick(3, 50);
    for _ in 0..rounds {
        let mut frozen = Vec::new();
        for _ in 0..SEATS {
            let mut profiler = Profiler::start(tables::exact()).unwrap();
            let block = of_others();
            gate.close();
            frozen.push(thread::spawn(move || {
                gate.hold_me();
                block.resized(300).unwrap()
            }));
            gate.wait_until_held();
            profiler.stop();
        }
        let stuck = Profiler::start(tables::exact()).map(drop);
        refused += usize::from(stuck == Err(Error::HooksStuck { sessions: SEATS }));
        gate.open();
        let blocks: Vec<Block> = frozen.into_iter().map(|thread| thread.join().unwrap()).collect();
        let profiler = Profiler::start(tables::exact()).unwrap();
        let kept = of_this_session();
        drop(blocks);
        let report = decoded(&profiler);
        let [mine, others] =
            ["of_this_session", "of_others"].map(|name| report.at(&format!("s06_sessions::{name}")));
        wrong += usize::from([mine, others] != [Values::new((1, 88), (1, 88)), Values::default()]);
        drop(kept);
    }
    Outcome::new()
        .with(refused == rounds, format!("{refused} of {rounds} starts refused with all places taken"))
        .with(wrong == 0, format!("{wrong} later sessions wrong"))
}
