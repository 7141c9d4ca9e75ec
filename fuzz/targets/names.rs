//! Any text as a mangled name, as a unit of debug information, and as a source file.
#![no_main]

use allometer_profile::fuzzing::name;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &str, &str)| {
    let (raw, folder, unit, path) = input;
    name(raw, folder, unit, path);
    // Rust's own forms are rare among all texts.
    name(&format!("_R{raw}"), folder, &format!("{unit}/@/{raw}.0"), &format!("{folder}/{path}"));
    name(&format!("_ZN{raw}17h0123456789abcdefE"), folder, unit, &format!("{folder}/src/{path}"));
});
