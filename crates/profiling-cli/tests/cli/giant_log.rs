//! What a giant request leaves behind.

use std::time::{Duration, UNIX_EPOCH};

use allometer_profile::giant_log_layout::{CODE, HEADER, MAGIC, WORDS};
use allometer_profile::{Metadata, Profile};

use crate::own::profile;

/// The log of a process of the shop, as it left it: one request for 3 GiB, which was refused.
pub(crate) fn giant_log() -> Vec<u8> {
    let start = UNIX_EPOCH + Duration::from_secs(1_764_547_200);
    let metadata = Metadata { start: Some(start), sample_interval: 1 << 19, ..Metadata::default() };
    let code = Profile { mappings: profile(0.0).mappings, metadata, ..Profile::default() }.to_pprof();
    let mut words = vec![0; WORDS];
    words[..6].copy_from_slice(&[MAGIC, 1, 1, 1 << 30, code.len() as u64, 4711]);
    words[HEADER..][..8].copy_from_slice(&[
        1,
        1_764_547_210_000_000_000,
        3 << 30,
        1,
        4712,
        2,
        0x40_1010,
        0x40_1050,
    ]);
    let mut log: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    log[CODE * 8..][..code.len()].copy_from_slice(&code);
    log
}
