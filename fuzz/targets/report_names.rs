//! Any text as the name of a report's file: what is one is exactly what it reads as, and no path. Any lines as a listing.
#![no_main]

use allometer_views::{ProgramName, ReportFile, ReportName, timeline};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|listing: &str| {
    for line in listing.lines() {
        match line.parse::<ReportFile>() {
            Ok(file) => {
                assert_eq!(file.to_string(), line);
                assert!(
                    !line.starts_with('.')
                        && !line.contains(|letter: char| letter == '/' || !letter.is_ascii_graphic())
                );
                assert!(line.len() < 200);
            }
            Err(error) => assert!(!error.to_string().chars().any(char::is_control)),
        }
        if let Ok(name) = line.parse::<ReportName>() {
            assert_eq!(name.to_string(), line);
        }
        let program = ProgramName::nearest(line);
        assert_eq!(program.as_str().parse::<ProgramName>().expect("a name"), program);
    }
    let timeline = timeline(listing.lines().filter_map(|line| line.parse().ok()));
    assert_eq!(timeline.to_string().lines().count(), timeline.rows.len() + 1);
});
