//! Places that cannot be written into, and what else fails while a program runs: it is said, nothing half is left, and
//! it is tried again.

// A failed expectation is a panic, in what a test calls as in the test.
#![allow(clippy::unwrap_used, clippy::panic)]
// unsafe: std does not know limits of a process.
#![allow(unsafe_code)]

mod program;

use std::{
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{
        ffi::OsStrExt,
        fs::{MetadataExt, PermissionsExt, chown},
    },
    path::Path,
    process::Command,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use allometer_contract::{Scenario, run_scenarios, scenario};
use allometer_core::{Profiler, SamplingAllocator};
use allometer_profile::Profile;
use allometer_runner::{Event, ReportReason, Runner, Settings};
use allometer_system::System;
use program::{Said, complete, kept, listing, quiet, reasons, session, start};

#[global_allocator]
static ALLOC: SamplingAllocator<System> = SamplingAllocator::new();

const SCENARIOS: &[Scenario] = &[
    scenario("a_place_that_is_none_is_said_at_the_start", at_the_start),
    scenario("a_directory_that_goes_away_and_comes_back", vanished),
    scenario("a_file_in_place_of_the_directory", replaced),
    scenario("a_directory_that_is_opened_to_others_with_a_name_that_is_not_utf_8", opened),
    scenario("a_directory_that_is_given_to_somebody_else", given_away),
    scenario("a_file_that_may_not_become_so_large", limited),
    scenario("a_disk_that_is_full", full),
    scenario("a_place_that_can_only_be_read", read_only),
    scenario("a_panic_of_what_is_called", panics),
];

fn main() {
    run_scenarios(SCENARIOS);
}

/// Tries again soon.
fn eager() -> Settings {
    quiet().check_interval(Duration::from_millis(100)).exit_report(false)
}

fn failure(said: &Receiver<Said>) -> String {
    said.recv().unwrap().unwrap_err()
}

/// Waits until it has written, however often it failed before.
fn success(said: &Receiver<Said>) {
    while said.recv().unwrap().is_err() {}
}

/// A report in memory has nothing to do with places.
fn assert_readable(session: &mut Profiler) {
    assert!(!Profile::from_pprof(&session.report().unwrap()).unwrap().samples.is_empty());
}

fn at_the_start(directory: &Path) {
    let mut session = session();
    let file = directory.join("file");
    fs::write(&file, "").unwrap();
    for (place, cause) in
        [(file.clone(), "Not a directory"), (directory.join("no/reports"), "No such file or directory")]
    {
        let error = Runner::start(session.reader(), &place).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{place:?}: expected a directory")), "{error}");
        assert!(error.contains(cause), "{error}");
    }
    let settings = Settings::default().moved(Some(0.0));
    let refused = Runner::builder(session.reader(), directory).settings(settings).start();
    assert_eq!(refused.unwrap_err().to_string(), "moved is 0: expected 0.01 to 100");
    assert_eq!(listing(directory), ["file"]);
    assert_readable(&mut session);
}

fn vanished(around: &Path) {
    let (mut session, place) = (session(), around.join("around"));
    fs::create_dir(&place).unwrap();
    let directory = place.join("reports");
    let (mut runner, said) = start(&session, &directory, eager());
    runner.request();
    success(&said);
    // The directory alone: it is made again.
    fs::remove_dir_all(&directory).unwrap();
    runner.request();
    said.recv().unwrap().unwrap();
    assert_eq!(complete(&directory).len(), 1);
    fs::remove_dir_all(&place).unwrap();
    runner.request();
    let error = failure(&said);
    assert!(error.starts_with(&format!("{directory:?}: ")) && error.contains("No such file"), "{error}");
    assert_eq!(failure(&said), error, "tried again");
    assert_readable(&mut session);
    fs::create_dir(&place).unwrap();
    success(&said);
    runner.stop();
    assert_eq!(reasons(&directory), [ReportReason::Request], "what was asked for, once");
}

fn replaced(around: &Path) {
    let (mut session, directory) = (session(), around.join("reports"));
    let (runner, said) = start(&session, &directory, eager());
    fs::remove_dir(&directory).unwrap();
    fs::write(&directory, "somebody's").unwrap();
    runner.request();
    let error = failure(&said);
    assert!(error.starts_with(&format!("{directory:?}: ")) && error.contains("Not a directory"), "{error}");
    assert_readable(&mut session);
    assert_eq!(fs::read(&directory).unwrap(), b"somebody's");
    fs::remove_file(&directory).unwrap();
    success(&said);
    assert_eq!(complete(&directory).len(), 1);
}

fn opened(around: &Path) {
    let (mut session, directory) = (session(), around.join(OsStr::from_bytes(b"odd\xff\x1b[31m")));
    let (runner, said) = start(&session, &directory, eager());
    runner.request();
    said.recv().unwrap().unwrap();
    assert_eq!(complete(&directory).len(), 1);
    fs::set_permissions(&directory, Permissions::from_mode(0o777)).unwrap();
    runner.request();
    let error = failure(&said);
    assert!(error.contains(r#"odd\xFF\u{1b}[31m": the directory's mode is 777"#), "{error}");
    assert_readable(&mut session);
    assert_eq!(complete(&directory).len(), 1);
    fs::set_permissions(&directory, Permissions::from_mode(0o700)).unwrap();
    success(&said);
    assert_eq!(complete(&directory).len(), 2);
}

fn given_away(around: &Path) {
    let (session, directory) = (session(), around.join("reports"));
    let (runner, said) = start(&session, &directory, eager());
    if chown(&directory, Some(12_345), None).is_err() {
        // Only root can give something away; the check itself is tried in the unit tests.
        return;
    }
    runner.request();
    let error = failure(&said);
    assert!(error.contains("the directory belongs to user 12345: expected 0"), "{error}");
    assert_eq!(listing(&directory), [""; 0]);
    chown(&directory, Some(0), None).unwrap();
    success(&said);
    assert_eq!(complete(&directory).len(), 1);
}

/// The largest file that the process may write, in bytes.
fn set_limit(bytes: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a limit of this process, by a place that holds it (setrlimit(2)).
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
}

fn limited(directory: &Path) {
    // SAFETY: a signal that is ignored has no handler (signal(2)); without that it would end the process.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let mut session = session();
    let blocks = kept(100, 100);
    let (runner, said) = start(&session, directory, eager());
    set_limit(1000);
    runner.request();
    let error = failure(&said);
    assert!(error.contains(": cannot write the file: File too large"), "{error}");
    assert_eq!(failure(&said).split(": ").last(), error.split(": ").last(), "tried again");
    set_limit(libc::RLIM_INFINITY);
    success(&said);
    assert_eq!(complete(directory).len(), 1);
    assert_readable(&mut session);
    drop(blocks);
}

/// Runs a command of the system's, and says whether it went well.
fn runs(command: &[&OsStr]) -> bool {
    Command::new(command[0]).args(&command[1..]).output().is_ok_and(|output| output.status.success())
}

/// Gives this thread, and those that it starts, mounts of their own, which end with the process. False: only root can,
/// and not everywhere.
fn has_own_mounts() -> bool {
    // SAFETY: of this thread alone (unshare(2)).
    let is_alone = unsafe { libc::unshare(libc::CLONE_NEWNS) } == 0;
    is_alone && runs(&["mount", "--make-rprivate", "/"].map(OsStr::new))
}

/// A file system in memory at `directory`, or other options of the one that is there.
fn mounts(directory: &Path, options: &str) -> bool {
    let command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs"].map(OsStr::new);
    runs(&[&command, [directory.as_os_str()].as_slice()].concat())
}

fn full(around: &Path) {
    let directory = around.join("reports");
    fs::create_dir(&directory).unwrap();
    if !has_own_mounts() || !mounts(&directory, "size=8k,mode=700") {
        // A file that may not grow is tried above, by everybody.
        return;
    }
    let session = session();
    let blocks = kept(100, 100);
    let (runner, said) = start(&session, &directory, eager());
    runner.request();
    let error = failure(&said);
    assert!(error.contains(": cannot write the file: No space left on device"), "{error}");
    let left = listing(&directory);
    assert!(left.iter().all(|name| name.starts_with('.')), "{left:?}: a try may be under way");
    assert!(mounts(&directory, "remount,size=8m"));
    success(&said);
    assert_eq!(complete(&directory).len(), 1);
    drop(blocks);
}

fn read_only(around: &Path) {
    let (mut session, directory) = (session(), around.join("reports"));
    fs::create_dir(&directory).unwrap();
    let is_mounted = has_own_mounts() && mounts(&directory, "mode=700");
    if !is_mounted && directory.metadata().unwrap().uid() == 0 {
        // Modes do not stop root.
        return;
    }
    let set = |mode, options| {
        if is_mounted {
            assert!(mounts(&directory, options));
        } else {
            fs::set_permissions(&directory, Permissions::from_mode(mode)).unwrap();
        }
    };
    let (runner, said) = start(&session, &directory, eager());
    set(0o500, "remount,ro");
    runner.request();
    let error = failure(&said);
    let cause = if is_mounted { "Read-only file system" } else { "Permission denied" };
    let path = format!("{:?}", directory.join(".shop-"));
    assert!(error.starts_with(path.trim_end_matches('"')), "{error}");
    assert!(error.contains(&format!(": cannot create the file: {cause}")), "{error}");
    assert_readable(&mut session);
    assert_eq!(listing(&directory), [""; 0]);
    set(0o700, "remount,rw");
    success(&said);
    assert_eq!(complete(&directory).len(), 1);
}

fn panics(directory: &Path) {
    let session = session();
    let (say, said) = channel();
    let mut runner = Runner::builder(session.reader(), directory)
        .settings(quiet())
        .on_event(move |event| {
            if let Event::Written { .. } = event {
                say.send(()).unwrap();
                panic!("on purpose");
            }
        })
        .start()
        .unwrap();
    for _ in 0..3 {
        runner.request();
        said.recv().unwrap();
    }
    runner.stop();
    assert_eq!(complete(directory).len(), 4);
}
