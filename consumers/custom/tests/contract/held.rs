//! Threads that request memory wait for no report, wherever that is, and for no loader.

use std::{
    hint::black_box,
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
};

use allometer::{Config, Profiler, Unwinding};
use allometer_contract::{Check, Subject};

use crate::{ALLOC, gate::Gate};

pub const CHECKS: &[Check] = &[
    Check::new("held::a_report_that_is_held_anywhere_holds_nobody", a_held_report_holds_nobody),
    Check::new("held::a_loader_that_is_held_holds_nobody", a_held_loader_holds_nobody),
];

/// Threads that request memory, each request sampled, and count what they have done.
struct Crew {
    rounds: [AtomicU64; 2],
    is_done: AtomicBool,
}

impl Crew {
    fn new() -> Self {
        Self { rounds: Default::default(), is_done: AtomicBool::new(false) }
    }

    /// Runs `body` while the crew works.
    fn beside<T>(&self, body: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            for rounds in &self.rounds {
                scope.spawn(move || {
                    while !self.is_done.load(SeqCst) {
                        request(rounds.load(SeqCst) as usize % 30);
                        rounds.fetch_add(1, SeqCst);
                    }
                });
            }
            let answer = body();
            self.is_done.store(true, SeqCst);
            answer
        })
    }

    /// Comes back when each of the crew has done `more` rounds; if they wait for somebody, never.
    fn goes_on(&self, more: u64) {
        for rounds in &self.rounds {
            let before = rounds.load(SeqCst);
            while rounds.load(SeqCst) < before + more {
                thread::yield_now();
            }
        }
    }
}

#[inline(never)]
fn request(depth: usize) {
    match depth {
        0 => drop(black_box(Vec::<u64>::with_capacity(13))),
        _ => request(black_box(depth - 1)),
    }
    black_box(depth);
}

fn gate() -> &'static Gate {
    &ALLOC.provider().get().gate
}

fn session() -> Profiler {
    Profiler::start(Config::default().sample_interval(1)).unwrap()
}

/// Each phase of a report by itself: reading the counters; the list of modules and the files of the program, which
/// make many requests; writing.
fn held_report(profiler: &Profiler) -> [usize; 3] {
    let (snapshot, reading) = gate().hold_here(1, || profiler.snapshot().unwrap());
    let (profile, naming) = gate().hold_here(101, || snapshot.profile());
    let (pprof, writing) = gate().hold_here(3, || profile.to_pprof());
    assert!(!pprof.is_empty());
    [reading, naming, writing]
}

fn a_held_report_holds_nobody(_: &Subject) {
    let profiler = session();
    let crew = Crew::new();
    let holds = crew.beside(|| {
        crew.goes_on(100);
        let report = thread::spawn(move || held_report(&profiler));
        while !report.is_finished() {
            if gate().is_held() {
                crew.goes_on(3);
                gate().let_go();
            }
            thread::yield_now();
        }
        report.join().unwrap()
    });
    let [reading, naming, writing] = holds;
    assert!(reading >= 3 && naming > 20 && writing > 10, "{holds:?}");
}

/// As long as somebody goes through the list of modules, the loader's lock is taken; reports do, too.
fn a_held_loader_holds_nobody(_: &Subject) {
    for unwinding in [Unwinding::Automatic, Unwinding::Portable] {
        let config = Config::default().sample_interval(1).unwinding(unwinding);
        let _profiler = Profiler::start(config).unwrap();
        let crew = Crew::new();
        let [is_held, may_go] = [Barrier::new(2), Barrier::new(2)];
        crew.beside(|| {
            thread::scope(|scope| {
                scope.spawn(|| hold_loader(&is_held, &may_go));
                is_held.wait();
                crew.goes_on(100);
                may_go.wait();
            });
        });
    }
}

fn hold_loader(is_held: &Barrier, may_go: &Barrier) {
    let mut barriers = (is_held, may_go);
    // SAFETY: the callback has the signature that is asked for, and its data outlives the call
    // (dl_iterate_phdr(3)).
    unsafe { libc::dl_iterate_phdr(Some(wait), (&raw mut barriers).cast()) };
}

unsafe extern "C" fn wait(
    _: *mut libc::dl_phdr_info,
    _: usize,
    barriers: *mut std::ffi::c_void,
) -> std::ffi::c_int {
    // SAFETY: what `hold_loader` passed.
    let (is_held, may_go) = unsafe { *barriers.cast::<(&Barrier, &Barrier)>() };
    is_held.wait();
    may_go.wait();
    1
}
