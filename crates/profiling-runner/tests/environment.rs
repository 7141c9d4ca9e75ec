//! What the variable `ALLOMETER` starts, and what it cannot: each in a process of its own, since it is one for the whole process.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::Command,
};

use allometer_contract::{Scenario, run_scenarios, scenario};
use allometer_core::SamplingAllocator;
use allometer_runner::{ReportReason, init};
use allometer_system::System;
use program::{listing, reasons};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

/// Before anything else runs in the process.
fn set(words: &str) {
    // SAFETY: this is the only thread.
    #[allow(unsafe_code)]
    unsafe {
        env::set_var("ALLOMETER", words);
    }
}

const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "one_line_writes_a_report_at_the_exit",
        run: |directory| {
            set(&format!("dir:{},interval:1,program:shop", directory.display()));
            init().unwrap();
        },
        check: |end, directory| {
            assert!(end.is_ok(), "{end:?}");
            assert_eq!(reasons(directory), [ReportReason::Exit]);
        },
    },
    Scenario {
        name: "what_it_started_can_be_asked",
        run: |directory| {
            set(&format!("dir:{},interval:1,at_exit:false", directory.display()));
            let started = init().unwrap();
            let kept = vec![7u8; 64 << 20];
            let live = started.reader.unwrap().snapshot().unwrap().totals().live.bytes.value;
            assert!(live >= kept.len() as f64, "{live}");
            started.runner.unwrap().request();
            while listing(directory).iter().filter(|name| !name.starts_with('.')).count() < 3 {
                std::thread::yield_now();
            }
        },
        check: |end, directory| {
            assert!(end.is_ok(), "{end:?}");
            assert_eq!(reasons(directory), [ReportReason::Request]);
        },
    },
    Scenario {
        name: "a_giant_request_is_logged_beside_the_reports_and_told",
        run: |directory| {
            let words = "interval:1,program:shop,giant_limit:1GiB,refuse_giants:true";
            set(&format!("dir:{},{words}", directory.display()));
            init().unwrap();
            assert_eq!(listing(directory), [format!("shop-{}.giants", std::process::id())]);
            Vec::<u8>::new().try_reserve_exact(2 << 30).unwrap_err();
        },
        check: |end, directory| {
            assert!(end.is_ok(), "{end:?}");
            assert_eq!(reasons(directory), [ReportReason::Giant, ReportReason::Exit]);
            let is_log = |name: &String| name.ends_with(".giants");
            assert!(!listing(directory).iter().any(is_log), "it was told: {:?}", listing(directory));
        },
    },
    scenario("without_the_variable_nothing_starts", |directory| {
        set("");
        let started = init().unwrap();
        assert!(started.reader.is_none() && started.runner.is_none());
        assert_eq!(listing(directory), [""; 0]);
    }),
    scenario("twice_is_an_error_and_so_is_garbage", |directory| {
        set("on,gar\u{1b}bage");
        for _ in 0..2 {
            let error = init().unwrap_err().to_string();
            assert!(error.starts_with(r"ALLOMETER: `gar\u{1b}bage`: expected on, dir:PATH"), "{error}");
        }
        set("on");
        assert!(init().unwrap().reader.unwrap().is_active());
        for _ in 0..2 {
            let error = init().unwrap_err().to_string();
            assert_eq!(error, "the session cannot be started: a session is already active");
        }
        assert_eq!(listing(directory), [""; 0]);
    }),
    scenario("a_directory_that_cannot_be_used_leaves_no_session", |directory| {
        set(&format!("dir:{}/no/reports", directory.display()));
        let error = init().unwrap_err().to_string();
        assert!(error.contains("/no/reports\": expected a directory"), "{error}");
        set("on");
        assert!(init().is_ok(), "the session that had been started was stopped");
    }),
    scenario("who_has_more_rights_than_who_started_it_ignores_it", |directory| {
        if env::var_os("ALLOMETER").is_some() {
            // The copy below, which has somebody else's rights.
            assert!(init().unwrap().reader.is_none());
            return fs::write(directory.join("ignored"), "").unwrap();
        }
        let copy = directory.join("copy");
        fs::copy(env::current_exe().unwrap(), &copy).unwrap();
        if chown(&copy, Some(65_534), None).is_err() {
            return eprintln!("not run: only root can give a program away");
        }
        fs::set_permissions(&copy, Permissions::from_mode(0o4755)).unwrap();
        fs::set_permissions(directory, Permissions::from_mode(0o777)).unwrap();
        assert!(run_with_words(&copy).success());
        assert!(directory.join("ignored").exists());
        fs::remove_file(directory.join("ignored")).unwrap();
        // Without those rights it is an error: no such word.
        fs::set_permissions(&copy, Permissions::from_mode(0o755)).unwrap();
        assert!(!run_with_words(&copy).success());
    }),
];

fn run_with_words(program: &Path) -> std::process::ExitStatus {
    Command::new(program).env("ALLOMETER", "garbage").status().unwrap()
}

fn main() {
    run_scenarios(SCENARIOS);
}
