//! Logs that are well, and logs that are not.

use super::*;
use crate::{Mapping, Metadata};

/// With the numbers, sizes and frames of its records.
fn log(records: &[(u64, u64, bool, &[u64])]) -> Vec<u8> {
    let code = Profile {
        metadata: Metadata { start: UNIX_EPOCH.checked_add(Duration::from_secs(50)), ..Metadata::default() },
        mappings: vec![Mapping {
            start: 0x1000,
            limit: 0x2000,
            path: "/bin/shop".to_owned(),
            ..Mapping::default()
        }],
        ..Profile::default()
    };
    let code = code.to_pprof();
    let mut words = vec![0; WORDS];
    words[..5].copy_from_slice(&[MAGIC, 20, 3, 1 << 30, code.len() as u64]);
    for (at, &(number, size, refused, frames)) in records.iter().enumerate() {
        let record = &mut words[HEADER + at * RECORD_WORDS..][..RECORD_WORDS];
        record[..6].copy_from_slice(&[number, 52_000_000_000, size, refused.into(), 77, frames.len() as u64]);
        record[6..6 + frames.len()].copy_from_slice(frames);
    }
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
    bytes[CODE * 8..][..code.len()].copy_from_slice(&code);
    bytes
}

#[test]
fn the_last_requests_are_samples_in_their_order() {
    let profile = Profile::from_giant_log(&log(&[
        (20, 5 << 30, true, &[0x1801, 0x9001, 0]),
        (19, 2 << 30, false, &[0x1801]),
    ]));
    let profile = profile.unwrap();
    let sizes: Vec<f64> = profile.samples.iter().map(|sample| sample.figures.alloc.bytes.value).collect();
    assert_eq!(sizes, [(2u64 << 30) as f64, (5u64 << 30) as f64]);
    assert_eq!(profile.samples[0].tag, None);
    assert_eq!(profile.samples[1].tag.as_deref(), Some("refused"));
    let stack = &profile.samples[1].stack;
    let locations: Vec<&Location> = stack.iter().map(|&index| profile.location(index).unwrap()).collect();
    assert_eq!((locations[0].mapping, locations[1].mapping), (Some(MappingIndex(0)), None));
    assert_eq!(profile.samples[0].stack[0], stack[0]);
    assert_eq!(profile.place(&profile.samples[1], 9), "[truncated]");
    assert_eq!(
        profile.metadata.comments[1..],
        [
            "requests above 1073741824 bytes: 20, of them refused: 3",
            "request 19: 2147483648 bytes, granted 2.000 s after the start, thread 77",
            "request 20: 5368709120 bytes, refused 2.000 s after the start, thread 77",
        ]
    );
    assert_eq!(profile.metadata.duration, Duration::from_secs(2), "until the last one");
    let again = Profile::from_pprof(&profile.to_pprof()).unwrap();
    assert_eq!(again.total(), profile.total());
}

#[test]
fn what_is_no_log_is_refused() {
    let of = |data: &[u8]| Profile::from_giant_log(data).unwrap_err().to_string();
    let log = log(&[(1, 5, false, &[0x1801])]);
    assert!(Profile::is_giant_log(&log) && !Profile::is_giant_log(b"allogia"));
    assert_eq!(of(&log[..log.len() - 8]), "not a log of giant requests: expected 64 KiB");
    assert_eq!(of(b""), "not a log of giant requests: expected 64 KiB");
    let changed = |word: usize, value: u64| {
        let mut log = log.clone();
        log[word * 8..][..8].copy_from_slice(&value.to_le_bytes());
        of(&log)
    };
    assert_eq!(
        changed(0, 7),
        "not a log of giant requests: expected the mark of one in its first eight bytes"
    );
    let code = "not a log of giant requests: expected code of no more bytes than there is room for";
    assert_eq!([changed(4, u64::MAX), changed(4, 50_000)], [code, code]);
    assert_eq!(
        changed(HEADER + 5, 123),
        "not a log of giant requests: expected a stack of at most 122 frames"
    );
    assert!(changed(4, 3).contains("not a pprof message"));
}
