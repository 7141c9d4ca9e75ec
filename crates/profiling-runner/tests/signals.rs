//! Signals that ask for reports, or end the program.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]
// unsafe: std can neither send signals nor fork.
#![allow(unsafe_code)]

mod program;

use std::{
    hint::black_box,
    path::Path,
    process,
    sync::{
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::channel,
    },
    thread,
};

use allometer_contract::{Scenario, run_scenarios, scenario};
use allometer_core::SamplingAllocator;
use allometer_runner::{Event, ReportReason, Runner};
use allometer_system::System;
use libc::{SIGINT, SIGTERM, SIGUSR1};
use program::{complete, kept, listing, quiet, reasons, session, start};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "twenty_quick_ones_in_an_allocation_storm",
        run: storm,
        check: |end, directory| {
            assert_eq!(end.as_deref(), Ok("it lives\n"));
            let reasons = reasons(directory);
            let (last, asked) = reasons.split_last().unwrap();
            assert_eq!(*last, ReportReason::Exit);
            assert!((2..=21).contains(&asked.len()), "{asked:?}");
            assert!(asked.iter().all(|reason| *reason == ReportReason::Request), "{asked:?}");
        },
    },
    Scenario {
        name: "one_that_ends_the_program_waits_for_the_report",
        run: |directory| {
            let session = session();
            let _runner = start(&session, directory, quiet().on_exit_signal(SIGTERM)).0;
            raise(SIGTERM);
            wait_for_ever();
        },
        check: |end, directory| {
            assert_ended(end, "signal: 15");
            assert_eq!(reasons(directory), [ReportReason::Exit]);
        },
    },
    Scenario {
        name: "a_second_one_ends_it_at_once",
        run: second,
        check: |end, directory| {
            assert_ended(end, "signal: 2");
            assert_eq!(reasons(directory), [ReportReason::Request]);
        },
    },
    Scenario {
        name: "after_the_stop_it_ends_the_program",
        run: |directory| {
            let session = session();
            let settings = quiet().on_exit_signal(SIGTERM).on_signal(SIGUSR1).exit_report(false);
            let (mut runner, said) = start(&session, directory, settings);
            runner.stop();
            raise(SIGUSR1);
            assert!(said.recv().is_err(), "it said something, and has ended");
            raise(SIGTERM);
            wait_for_ever();
        },
        check: |end, directory| {
            assert_ended(end, "signal: 15");
            assert_eq!(listing(directory), [""; 0]);
        },
    },
    Scenario {
        name: "after_the_session_it_ends_the_program",
        run: |directory| {
            let mut session = session();
            let (runner, said) = start(&session, directory, quiet().on_exit_signal(SIGTERM));
            session.stop();
            runner.fresh_start();
            runner.request();
            assert!(said.recv().unwrap().unwrap_err().contains("not active"));
            assert!(said.recv().is_err(), "it said more, and has ended");
            raise(SIGTERM);
            wait_for_ever();
        },
        check: |end, _| assert_ended(end, "signal: 15"),
    },
    scenario("a_forked_child_has_no_runner", child),
];

fn main() {
    run_scenarios(SCENARIOS);
}

fn assert_ended(end: Result<String, String>, how: &str) {
    let end = end.unwrap_err();
    assert!(end.starts_with(&format!("ended with {how} ")), "{end}");
}

fn raise(signal: i32) {
    // SAFETY: of this process, and a signal that it listens to (kill(2)).
    assert_eq!(unsafe { libc::kill(process::id() as libc::pid_t, signal) }, 0);
}

/// Until the signal has ended the process.
fn wait_for_ever() {
    loop {
        thread::park();
    }
}

fn storm(directory: &Path) {
    let session = session();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    black_box((1..50).map(|size| vec![0u8; size * 7]).collect::<Vec<_>>());
                }
            });
        }
        let (mut runner, said) = start(&session, directory, quiet().on_signal(SIGUSR1));
        (0..20).for_each(|_| raise(SIGUSR1));
        said.recv().unwrap().unwrap();
        // There may be more of the twenty. One that comes later is not lost.
        raise(SIGUSR1);
        said.recv().unwrap().unwrap();
        black_box(kept(100, 100));
        runner.stop();
        over.store(true, Relaxed);
    });
    println!("it lives");
}

fn second(directory: &Path) {
    let session = session();
    let (say, said) = channel();
    let runner = Runner::builder(session.reader(), directory)
        .settings(quiet().on_exit_signal(SIGINT))
        .on_event(move |event| {
            if matches!(event, Event::Written { .. }) {
                say.send(()).unwrap();
                wait_for_ever();
            }
        })
        .start()
        .unwrap();
    runner.request();
    said.recv().unwrap();
    raise(SIGINT);
    raise(SIGINT);
    wait_for_ever();
}

fn child(directory: &Path) {
    let session = session();
    let settings = quiet().on_exit_signal(SIGTERM).on_signal(SIGUSR1).at_exit(true);
    let (mut runner, said) = start(&session, directory, settings);
    runner.request();
    said.recv().unwrap().unwrap();
    for ends_by_signal in [false, true] {
        // SAFETY: the child does what a child may with a C library that has fork handlers for its locks, as glibc has.
        let child = unsafe { libc::fork() };
        if child == 0 {
            raise(SIGUSR1);
            runner.request();
            runner.fresh_start();
            if ends_by_signal {
                raise(SIGTERM);
                wait_for_ever();
            }
            runner.stop();
            drop(runner);
            process::exit(7);
        }
        let mut status = 0;
        // SAFETY: a child of this process, and a place for its status.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        if ends_by_signal {
            assert_eq!(libc::WTERMSIG(status), SIGTERM);
        } else {
            assert_eq!(libc::WEXITSTATUS(status), 7);
        }
        assert_eq!(complete(directory).len(), 1, "of the child");
    }
    runner.stop();
    assert_eq!(reasons(directory), [ReportReason::Request, ReportReason::Exit]);
}
