//! Any text as the words of the environment: a configuration that is within its bounds, or one line that says why not.
#![no_main]

use allometer_core::fuzzing::configuration;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|words: &str| {
    match configuration(words) {
        Ok(configuration) => configuration.validate().expect("within its bounds"),
        Err(error) => assert!(!error.to_string().chars().any(char::is_control)),
    }
});
