//! Any bytes as a log of giant requests. What can be read can be written and read again.
#![no_main]

use allometer_profile::Profile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // A log has a length of its own, so that a few bytes would never be one.
    let mut log = data.to_vec();
    log.resize(64 << 10, 0);
    for data in [data, &log] {
        match Profile::from_giant_log(data) {
            Ok(profile) => {
                let again = Profile::from_pprof(&profile.to_pprof()).expect("reads what it wrote");
                assert!(again.samples.len() <= 16);
            }
            Err(error) => assert!(!error.to_string().chars().any(char::is_control)),
        }
    }
});
