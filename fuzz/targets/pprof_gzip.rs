//! Any bytes as gzip data, and a file that is packed says what it said before.
#![no_main]

use std::io::Read;

use allometer_profile::{Error, Limit, Profile};
use flate2::{Compression, bufread::GzEncoder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut marked = vec![0x1f, 0x8b, 8];
    marked.extend(data);
    let _ = Profile::from_pprof(&marked);

    let mut packed = Vec::new();
    GzEncoder::new(data, Compression::fast()).read_to_end(&mut packed).expect("memory can be read");
    match (Profile::from_pprof(data), Profile::from_pprof(&packed)) {
        (_, Err(Error::TooLarge { limit: Limit::Ratio, .. })) => {}
        (Ok(plain), packed) => assert_eq!(plain, packed.expect("packed, it is the same")),
        // Two marks of gzip: packed once more it is no longer taken apart.
        (Err(_), packed) => assert!(packed.is_err()),
    }
});
