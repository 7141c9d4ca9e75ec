//! Ways in which a program ends, and the last report.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::{
    mem,
    process::exit,
    sync::{Arc, Mutex},
    time::Duration,
};

use allometer_contract::{Scenario, run_scenarios};
use allometer_core::SamplingAllocator;
use allometer_runner::{ReportReason, Runner};
use allometer_system::System;
use program::{kept, listing, quiet, reasons, session, start};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "exit",
        run: |directory| {
            let session = session();
            let _runner = start(&session, directory, quiet().at_exit(true)).0;
            exit(1)
        },
        check: |end, directory| {
            assert_exited(end, 1);
            assert_eq!(reasons(directory), [ReportReason::Exit]);
        },
    },
    Scenario {
        name: "exit_where_nobody_listens_to_it",
        run: |directory| {
            let session = session();
            let _runner = start(&session, directory, quiet()).0;
            exit(1)
        },
        check: |end, directory| {
            assert_exited(end, 1);
            assert_eq!(listing(directory), [""; 0]);
        },
    },
    Scenario {
        name: "the_return_of_main",
        run: |directory| {
            let session = session();
            let _runner = start(&session, directory, quiet().at_exit(true)).0;
        },
        check: |end, directory| {
            assert!(end.is_ok(), "{end:?}");
            assert_eq!(reasons(directory), [ReportReason::Exit], "and one only");
        },
    },
    Scenario {
        name: "the_return_of_main_with_a_runner_that_is_never_dropped",
        run: |directory| {
            let session = session();
            mem::forget(start(&session, directory, quiet().at_exit(true)).0);
            mem::forget(session);
        },
        check: |end, directory| {
            assert!(end.is_ok(), "{end:?}");
            assert_eq!(reasons(directory), [ReportReason::Exit]);
        },
    },
    Scenario {
        name: "a_panic_of_main",
        run: |directory| {
            let session = session();
            let _runner = start(&session, directory, quiet()).0;
            panic!("on purpose");
        },
        check: |end, directory| {
            assert_exited(end, 101);
            assert_eq!(reasons(directory), [ReportReason::Exit]);
        },
    },
    Scenario {
        name: "stop_more_than_once",
        run: |directory| {
            let session = session();
            let mut runner = start(&session, directory, quiet().at_exit(true)).0;
            runner.request();
            runner.stop();
            runner.stop();
            runner.request();
        },
        check: |end, directory| {
            assert!(end.is_ok(), "{end:?}");
            assert_eq!(reasons(directory), [ReportReason::Request, ReportReason::Exit]);
        },
    },
    Scenario {
        name: "stop_and_exit_on_the_thread_itself",
        run: |directory| {
            let session = session();
            let place = Arc::new(Mutex::new(None::<Runner>));
            let own = place.clone();
            let runner = Runner::builder(session.reader(), directory)
                .settings(quiet().at_exit(true))
                .on_event(move |_| {
                    own.lock().unwrap().as_mut().unwrap().stop();
                    exit(3)
                })
                .start()
                .unwrap();
            place.lock().unwrap().insert(runner).request();
            let _ = kept(1, 1);
            loop {
                std::thread::park();
            }
        },
        check: |end, directory| {
            assert_exited(end, 3);
            assert_eq!(reasons(directory), [ReportReason::Request]);
        },
    },
    Scenario {
        name: "an_exit_with_a_thread_that_hangs",
        run: |directory| {
            let session = session();
            let runner = Runner::builder(session.reader(), directory)
                .settings(quiet().at_exit(true).patience(Duration::from_millis(10)))
                .on_event(|_| {
                    loop {
                        std::thread::park();
                    }
                })
                .start()
                .unwrap();
            runner.request();
            drop(runner);
            exit(4)
        },
        check: |end, _| assert_exited(end, 4),
    },
];

fn main() {
    run_scenarios(SCENARIOS);
}

fn assert_exited(end: Result<String, String>, status: i32) {
    let end = end.unwrap_err();
    assert!(end.starts_with(&format!("ended with exit status: {status}\n")), "{end}");
}
