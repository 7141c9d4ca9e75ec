//! Without the sampling allocator a start is refused, every time, and changes nothing.

use allometer::{Config, Error, Profiler};

#[test]
fn every_start_is_refused() {
    for interval in [512 << 10, 1, 512 << 10] {
        let refused = Profiler::start(Config::default().sample_interval(interval)).unwrap_err();
        assert_eq!(refused, Error::NotInstalled);
    }
    // A field out of its bounds is the nearer mistake.
    let invalid = Profiler::start(Config::default().sample_interval(0)).unwrap_err();
    assert!(matches!(invalid, Error::IntervalOutOfRange { interval: 0, .. }), "{invalid}");
    assert_eq!(Profiler::start(Config::default()).unwrap_err(), Error::NotInstalled);
    // The program's own allocator goes on working.
    let numbers: Vec<u64> = (0..100_000).collect();
    assert_eq!(numbers.iter().sum::<u64>(), 4_999_950_000);
}

#[test]
fn the_program_says_what_to_do() {
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_consumer-bare")).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    let message = String::from_utf8(run.stderr).unwrap();
    assert!(message.contains("#[global_allocator]"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}
