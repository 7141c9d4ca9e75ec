//! Any bytes as a segment of notes, in each alignment: a build id is a part of them.
#![no_main]

use allometer_profile::fuzzing::build_id;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for align in [0, 1, 4, 8, u64::MAX] {
        let Some(id) = build_id(data, align) else { continue };
        assert!(!id.is_empty() && data.as_ptr_range().contains(&id.as_ptr()));
    }
});
