//! Reports beside threads that work.

use std::{
    path::Path,
    sync::mpsc::{self, Receiver},
    thread,
};

use allometer::{Config, Error, Profiler, Reader};
use allometer_contract::{Decoded, Scenario, Values, scenario};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario("a_thread_that_reports_has_everything_once", a_thread_that_reports_has_everything_once),
    scenario("a_thread_that_reports_learns_of_the_stop", a_thread_that_reports_learns_of_the_stop),
];

const WORKERS: usize = 4;
const OBJECTS: usize = 10_000;

/// Each request of the workers is in exactly one report, also of threads that have ended, and however many there are between two.
fn a_thread_that_reports_has_everything_once(_: &Path) {
    let profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    let (tick, ticks) = mpsc::channel();
    let reader = profiler.reader();
    let reporter = thread::spawn(move || reports(reader, &ticks));
    let workers = [(); WORKERS].map(|()| {
        let tick = tick.clone();
        thread::spawn(move || {
            for object in 0..OBJECTS {
                drop(worked(64 + object % 8 * 64));
                if object % 2500 == 0 {
                    tick.send(()).unwrap();
                }
            }
        })
    });
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    tick.send(()).unwrap();
    drop(tick);
    let (reports, sum) = reporter.join().unwrap();
    assert_eq!(reports, WORKERS * OBJECTS.div_ceil(2500) + 1);
    let bytes: usize = (0..OBJECTS).map(|object| 64 + object % 8 * 64).sum();
    assert_eq!((sum.alloc_objects, sum.alloc_bytes), ((WORKERS * OBJECTS) as i64, (WORKERS * bytes) as i64));
    let stats = profiler.stats().unwrap();
    assert_eq!((stats.site_overflow.samples, stats.untracked.samples), (0, 0));
}

/// One report for each tick; how many, and the sum over them.
fn reports(mut reader: Reader, ticks: &Receiver<()>) -> (usize, Values) {
    let mut report = || Decoded::new(&reader.report().unwrap()).at("threads::worked");
    let all: Vec<Values> = ticks.iter().map(|()| report()).collect();
    (all.len(), all.into_iter().sum())
}

fn a_thread_that_reports_learns_of_the_stop(_: &Path) {
    let mut profiler = Profiler::start(Config::default()).unwrap();
    let mut reader = profiler.reader();
    let (started, is_started) = mpsc::channel();
    let reporter = thread::spawn(move || {
        reader.report().unwrap();
        started.send(()).unwrap();
        loop {
            if let Err(error) = reader.report() {
                return error;
            }
        }
    });
    is_started.recv().unwrap();
    profiler.stop();
    assert_eq!(reporter.join().unwrap(), Error::Inactive);
}

#[inline(never)]
fn worked(size: usize) -> Vec<u8> {
    std::hint::black_box(vec![1; size])
}
