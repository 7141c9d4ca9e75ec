//! Giant requests, told while the program runs, and of programs that they have ended.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]

mod program;

use std::{
    fs,
    hint::black_box,
    io::Read,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::Duration,
};

use allometer_contract::{Scenario, run_scenarios_with, scenario};
use allometer_core::{Config, Profiler, SamplingAllocator};
use allometer_profile::Profile;
use allometer_runner::{ProgramName, ReportFormat, ReportName, ReportReason, Runner};
use allometer_system::System;
use program::{complete, figures, heard, listing, path, quiet, reasons, start};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    scenario("a_request_that_ended_the_program_is_told_by_the_next_one", crash),
    scenario("a_request_is_told_while_the_program_runs_and_not_again", running),
    scenario("a_request_just_before_the_end_is_told_there", at_the_end),
    scenario("what_is_told_while_the_disk_is_away_is_told_later", later),
    scenario("the_log_of_a_process_that_runs_stays", of_another),
    scenario("what_is_no_log_is_said_and_stays", no_logs),
    scenario("logs_in_which_nothing_is_go", of_no_use),
];

/// What the tests start.
const CHILDREN: &[Scenario] = &[scenario(CRASHES, crashes), scenario(WAITS, waits)];

const CRASHES: &str = "child_that_asks_for_too_much";
const WAITS: &str = "child_that_waits";
const LIMIT: u64 = 1 << 30;
const SIZE: usize = 3 << 30;

fn main() {
    run_scenarios_with(SCENARIOS, CHILDREN);
}

/// A session with a log beside the reports.
fn guarded(directory: &Path) -> Profiler {
    let config = Config::default().sample_interval(1).giant_limit(LIMIT).refuse_giants(true);
    Profiler::start(config.giant_file(quiet().giant_file(directory).unwrap())).unwrap()
}

#[inline(never)]
fn read_a_length_and_believe_it(length: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(length))
}

/// Asks for it, and goes on without.
#[inline(never)]
fn try_a_length(length: usize) {
    black_box(Vec::<u8>::new().try_reserve_exact(length).unwrap_err());
}

fn crashes(directory: &Path) {
    let session = guarded(directory);
    // Its own runner has no time to tell.
    let _runner = start(&session, directory, quiet().check_interval(Duration::from_secs(3600))).0;
    drop(read_a_length_and_believe_it(black_box(SIZE)));
}

fn waits(directory: &Path) {
    let _session = guarded(directory);
    try_a_length(SIZE);
    println!("asked");
    let _ = std::io::stdin().read(&mut [0]);
}

/// This program again, as another of the scenarios.
fn child(scenario: &str, directory: &Path) -> Child {
    let mut command = Scenario::command(scenario, directory);
    command.env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Lets one crash, and answers the path of the log that it left.
fn crashed(directory: &Path) -> PathBuf {
    let child = child(CRASHES, directory);
    let log = directory.join(format!("shop-{}.giants", child.id()));
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && said.contains("memory allocation of 3221225472 bytes failed"),
        "{said}"
    );
    assert!(log.exists(), "{:?}", listing(directory));
    log
}

/// Of whom a log is.
fn process(log: &Path) -> u32 {
    let name = log.file_stem().unwrap().to_str().unwrap();
    name.strip_prefix("shop-").unwrap().parse().unwrap()
}

fn text(directory: &Path, name: &ReportName) -> String {
    fs::read_to_string(path(directory, name, ReportFormat::Text)).unwrap()
}

/// The report of a process that asked in this function.
fn assert_tells(directory: &Path, name: &ReportName, function: &str) {
    let text = text(directory, name);
    assert!(text.contains("requests above 1073741824 bytes: 1, of them refused: 1\n"), "{text}");
    assert!(text.contains("request 1: 3221225472 bytes, refused"), "{text}");
    let (_, place) = text.split_once("request 1: ").unwrap();
    assert!(
        place.lines().nth(1).unwrap().starts_with(&format!("    giants::{function} (giants.rs:")),
        "{text}"
    );
    // The whole of it is the function's own: the allocator is no part of the stack.
    let row = text.lines().find(|line| line.ends_with(&format!("  giants::{function}")));
    assert!(row.is_some_and(|row| row.trim_start().starts_with("3.0 GiB  100.0%")), "{text}");
    assert_eq!(figures(directory, name, &format!("giants::{function}")).alloc.bytes.value, SIZE as f64);
    let picture = fs::read_to_string(path(directory, name, ReportFormat::Flamegraph)).unwrap();
    assert!(picture.contains(function) && picture.contains("Asked for: shop-"));
}

fn crash(directory: &Path) {
    let first = crashed(directory);
    // A process in a container has the number of the one before, whose log its session puts aside.
    let put_aside = directory.join("shop-4711.giants.previous");
    fs::rename(crashed(directory), &put_aside).unwrap();
    let session = guarded(directory);
    let mut runner = start(&session, directory, quiet().exit_report(false)).0;
    runner.stop();
    assert!(!first.exists() && !put_aside.exists(), "{:?}", listing(directory));
    drop(session);
    let reports = complete(directory);
    assert_eq!(reports.len(), 2);
    let process = process(&first);
    let [one, aside] = &*reports else { panic!("{reports:?}") };
    assert_eq!((one.process, one.live_bytes, one.reason), (process, 0, ReportReason::Giant));
    assert_eq!((aside.process, aside.reason), (4711, ReportReason::Giant));
    for report in reports {
        assert_tells(directory, &report, "read_a_length_and_believe_it");
    }
}

fn running(directory: &Path) {
    let session = guarded(directory);
    let settings = quiet().check_interval(Duration::from_millis(100));
    let (mut runner, said) = start(&session, directory, settings);
    try_a_length(SIZE);
    let name = said.recv().unwrap().unwrap();
    assert_eq!((name.reason, name.process), (ReportReason::Giant, std::process::id()));
    assert_tells(directory, &name, "try_a_length");
    runner.stop();
    drop(session);
    assert_eq!(reasons(directory), [ReportReason::Giant, ReportReason::Exit], "and no log");
    let session = guarded(directory);
    start(&session, directory, quiet()).0.stop();
    drop(session);
    assert_eq!(reasons(directory), [ReportReason::Giant, ReportReason::Exit, ReportReason::Exit]);
}

fn at_the_end(directory: &Path) {
    let session = guarded(directory);
    let (mut runner, _said) = start(&session, directory, quiet());
    try_a_length(SIZE);
    runner.stop();
    drop(session);
    let reports = complete(directory);
    let reasons: Vec<_> = reports.iter().map(|report| report.reason).collect();
    assert_eq!(reasons, [ReportReason::Giant, ReportReason::Exit]);
    assert_tells(directory, &reports[0], "try_a_length");
}

fn later(around: &Path) {
    let directory = around.join("reports");
    let log = crashed(&directory);
    let session = Profiler::start(Config::default()).unwrap();
    let settings = quiet().check_interval(Duration::from_millis(100)).exit_report(false);
    let (builder, said) = heard(Runner::builder(session.reader(), &directory).settings(settings));
    // Something has the name of a file that will be written.
    let process = process(&log);
    let log = Profile::from_giant_log(&fs::read(&log).unwrap()).unwrap();
    let time = log.metadata.start.unwrap() + log.metadata.duration;
    let (program, reason) = (ProgramName::nearest("shop"), ReportReason::Giant);
    let name = ReportName { program, time, live_bytes: 0, reason, process };
    let taken = directory.join(format!(".{name}.txt.tmp"));
    fs::create_dir(&taken).unwrap();
    let mut runner = builder.start().unwrap();
    let error = said.recv().unwrap().unwrap_err();
    assert!(error.contains(".txt.tmp") && error.contains("cannot create the file"), "{error}");
    fs::remove_dir(&taken).unwrap();
    while said.recv().unwrap().is_err() {}
    runner.stop();
    assert_eq!(reasons(&directory), [ReportReason::Giant]);
}

fn of_another(directory: &Path) {
    let mut child = child(WAITS, directory);
    let mut asked = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut asked).unwrap();
    assert_eq!(&asked, b"asked");
    let log = directory.join(format!("shop-{}.giants", child.id()));
    let next = || {
        let session = Profiler::start(Config::default()).unwrap();
        start(&session, directory, quiet().exit_report(false)).0.stop();
    };
    next();
    assert_eq!(listing(directory), [log.file_name().unwrap().to_str().unwrap()]);
    child.kill().unwrap();
    child.wait().unwrap();
    next();
    let reports = complete(directory);
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].process, child.id());
    assert_tells(directory, &reports[0], "try_a_length");
}

fn no_logs(directory: &Path) {
    let whole = fs::read(crashed(directory)).unwrap();
    listing(directory).iter().for_each(|name| fs::remove_file(directory.join(name)).unwrap());
    let mut deep = whole.clone();
    // The length of the first stack.
    deep[(8 + 5) * 8] = 200;
    let none: [(&str, &[u8], &str); 4] = [
        ("shop-1.giants", b"somebody's notes", "expected 64 KiB"),
        ("shop-2.giants", &whole[1..], "expected 64 KiB"),
        ("shop-3.giants", &[b'x'; 64 << 10], "expected the mark of one"),
        ("shop-4.giants", &deep, "expected a stack of at most 122 frames"),
    ];
    for (name, contents, _) in none {
        fs::write(directory.join(name), contents).unwrap();
    }
    // Nobody's business.
    for name in ["till-1.giants", "shop-05.giants", "shop.giants"] {
        fs::write(directory.join(name), &whole).unwrap();
    }
    symlink("till-1.giants", directory.join("shop-6.giants")).unwrap();
    fs::create_dir(directory.join("shop-7.giants")).unwrap();
    fs::write(directory.join("shop-8.giants"), "").unwrap();
    let before = listing(directory);
    let session = Profiler::start(Config::default()).unwrap();
    let settings = quiet().exit_report(false).check_interval(Duration::from_millis(100));
    let (builder, said) = heard(Runner::builder(session.reader(), directory).settings(settings.clone()));
    let mut runner = builder.start().unwrap();
    runner.stop();
    drop(runner);
    let mut errors: Vec<String> = said.iter().map(Result::unwrap_err).collect();
    errors.sort_unstable();
    assert_eq!(errors.len(), none.len(), "each of them once: {errors:?}");
    for (error, (name, _, expected)) in errors.iter().zip(none) {
        assert!(error.starts_with(&format!("{:?}: ", directory.join(name))), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(listing(directory), before);
}

fn of_no_use(directory: &Path) {
    let whole = fs::read(crashed(directory)).unwrap();
    listing(directory).iter().for_each(|name| fs::remove_file(directory.join(name)).unwrap());
    // The numbers of requests, and of those that were told.
    let with = |requests: u8, told: u8| {
        let mut log = whole.clone();
        (log[8], log[6 * 8]) = (requests, told);
        log
    };
    fs::write(directory.join("shop-1.giants"), with(0, 0)).unwrap();
    fs::write(directory.join("shop-2.giants"), with(1, 1)).unwrap();
    fs::write(directory.join("shop-3.giants"), vec![0; whole.len()]).unwrap();
    let session = Profiler::start(Config::default()).unwrap();
    start(&session, directory, quiet().exit_report(false)).0.stop();
    assert_eq!(listing(directory), [""; 0]);
    fs::write(directory.join("shop-4.giants"), with(2, 1)).unwrap();
    start(&session, directory, quiet().exit_report(false)).0.stop();
    let reports = complete(directory);
    assert_eq!((reports.len(), reports[0].process), (1, 4), "of two requests one was told");
    let pprof = fs::read(path(directory, &reports[0], ReportFormat::Pprof)).unwrap();
    assert_eq!(Profile::from_pprof(&pprof).unwrap().samples.len(), 1);
}
