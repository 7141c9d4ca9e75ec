//! Any bytes as the file of a program, with its symbols and debug information: the first eight are addresses in it.
#![no_main]

use allometer_profile::fuzzing::functions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&[a, b, c, d, e, f, g, h], file)) = data.split_first_chunk() else { return };
    let near = u64::from(u16::from_le_bytes([a, b])) | 0x40_0000;
    let far = u64::from(u32::from_le_bytes([c, d, e, f]));
    let mut addresses = vec![near, far, u64::from(u16::from_le_bytes([g, h]))];
    addresses.sort_unstable();
    addresses.dedup();
    functions(file, &addresses);
});
