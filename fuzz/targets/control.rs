//! Crashes at an input that only a harness with feedback finds quickly.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let [b'c', b'r', b'a', b's', b'h', ..] = data {
        panic!("planted");
    }
});
