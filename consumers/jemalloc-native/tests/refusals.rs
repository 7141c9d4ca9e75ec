//! What jemalloc's profiler cannot do is an error of one line.

use std::{env, path::Path, process::Command};

use allometer::{
    jemalloc::{JemallocConfig, JemallocError, JemallocProfiler, JemallocReader},
    profile::{Source, Symbolizer},
};
use allometer_contract::{Scenario, output, run_scenarios, scenario};
use consumer_jemalloc_native as _;

static SCENARIOS: [Scenario; 7] = [
    scenario("a_profiler_that_is_off", off),
    scenario("a_profiler_that_runs_already_can_be_attached_to", runs_already),
    scenario("a_temporary_directory_that_cannot_be_written", no_temporary_directory),
    scenario("an_interval_that_is_no_power_of_two", interval),
    scenario("without_prof_accum_what_was_allocated_is_not_known", no_accumulation),
    scenario("somebody_else_who_stops_it_ends_the_session", stopped_elsewhere),
    scenario("an_owner_of_a_session_before_leaves_the_next_one_alone", owner_of_the_one_before),
];

fn main() {
    run_scenarios(&SCENARIOS);
}

/// What the program `start` says with this in its environment: whether it succeeded, and its lines.
fn start(environment: &[(&str, &str)]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_start"));
    command.envs(environment.iter().copied());
    match output(command, std::time::Duration::from_secs(60)) {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    }
}

fn off(_: &Path) {
    let (is_well, text) = start(&[]);
    assert!(is_well && text.starts_with("started: "), "{text}");
    let (is_well, text) = start(&[("_RJEM_MALLOC_CONF", "prof:false")]);
    let expected = "jemalloc's profiler is off since the program's start: expected `prof:true` in the symbol _rjem_malloc_conf or the variable _RJEM_MALLOC_CONF\n";
    assert!(!is_well && text.contains(&format!("\n{expected}attach: {expected}")), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}

fn runs_already(_: &Path) {
    let (is_well, text) = start(&[("_RJEM_MALLOC_CONF", "prof_active:true")]);
    assert!(!is_well, "{text}");
    assert!(
        text.contains("jemalloc's profiler is active already") && text.contains("attach: attached"),
        "{text}"
    );
}

fn no_temporary_directory(directory: &Path) {
    let nowhere = directory.join("nowhere");
    let (is_well, text) = start(&[("TMPDIR", nowhere.to_str().unwrap())]);
    let expected =
        "jemalloc's profile cannot be dumped into a temporary file: No such file or directory (os error 2)";
    assert!(!is_well && text.contains(expected) && text.contains("nowhere/"), "{text}");
    assert!(!text.contains("panicked"), "{text}");
}

fn interval(_: &Path) {
    let start = |bytes| JemallocProfiler::start(&JemallocConfig::default().sample_interval(bytes));
    for bytes in [0, 3, 1 << 51] {
        let expected = "bytes: expected a power of two from 1 to 1125899906842624";
        assert_eq!(start(bytes).unwrap_err().to_string(), format!("sample_interval is {bytes} {expected}"));
    }
    let mut profiler = start(1 << 20).unwrap();
    assert_eq!(profiler.reader().moment().unwrap().metadata().sample_interval, 1 << 20);
    assert!(matches!(start(1 << 20), Err(JemallocError::AlreadyActive)));
    profiler.stop().unwrap();
    assert!(matches!(profiler.stop(), Err(JemallocError::Inactive)));
    let attached = JemallocReader::attach(&JemallocConfig::default());
    assert!(matches!(attached, Err(JemallocError::Inactive)));
}

fn no_accumulation(_: &Path) {
    const CONF: &str = "_RJEM_MALLOC_CONF";
    if env::var_os(CONF).is_none() {
        let mut again =
            Scenario::command("without_prof_accum_what_was_allocated_is_not_known", Path::new("."));
        again.env(CONF, "prof_accum:false");
        output(again, std::time::Duration::from_secs(60)).unwrap();
        return;
    }
    let profiler = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    let kept: Vec<Vec<u8>> = (0..10_000).map(|_| Vec::with_capacity(1024)).collect();
    let profile = profiler.reader().moment().unwrap().profile(&mut Symbolizer::new());
    let total = profile.total();
    assert!(total.live.bytes.value > 8e6 && total.alloc.bytes.value == 0.0, "{total:?}");
    assert!(profile.metadata.comments.iter().any(|comment| comment.contains("prof_accum:true")));
    drop(kept);
}

fn owner_of_the_one_before(_: &Path) {
    let mut first = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    // As somebody does who uses the crate below.
    jemalloc_pprof::PROF_CTL.as_ref().unwrap().blocking_lock().deactivate().unwrap();
    let second = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    assert!(matches!(first.stop(), Err(JemallocError::Inactive)));
    drop(first);
    assert!(second.reader().is_active() && second.reader().moment().is_ok());
}

fn stopped_elsewhere(_: &Path) {
    let mut profiler = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    let reader = profiler.reader();
    // As somebody who uses the crate below does it.
    let other = JemallocReader::attach(&JemallocConfig::default()).unwrap();
    assert!(other.moment().is_ok());
    profiler.stop().unwrap();
    assert!(!reader.is_active() && !other.is_active() && other.moment().is_err());
    let _next = JemallocProfiler::start(&JemallocConfig::default()).unwrap();
    assert!(!reader.is_active(), "a reader of the session before");
}
