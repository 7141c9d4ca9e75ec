//! What a file keeps of a profile beside its figures.

use allometer_core::Config;
use allometer_profile::{Estimate, Growth, LiveObject, Profile, growth};

use crate::{Block, Check, Recording, Subject};

pub(super) const CHECKS: &[Check] = &[
    Check::new("files::errors_and_the_peak_are_read_back", errors_and_the_peak_are_read_back),
    Check::new(
        "files::two_files_of_a_session_share_their_samples",
        two_files_of_a_session_share_their_samples,
    ),
];

#[inline(never)]
fn held(count: usize, size: usize) -> Vec<Block> {
    (0..count).map(|_| Block::new(size, 8).unwrap()).collect()
}

fn through_a_file(profile: &Profile) -> Profile {
    Profile::from_pprof(&profile.to_pprof_gzip()).unwrap()
}

/// Values are rounded to whole numbers, and variances to the 24 bits of a short float.
fn assert_near(read: Estimate, written: Estimate) {
    assert!((read.value - written.value).abs() <= 0.5, "{read:?} {written:?}");
    assert!((read.variance - written.variance).abs() <= 1e-6 * written.variance, "{read:?} {written:?}");
}

fn errors_and_the_peak_are_read_back(_: &Subject) {
    let recording = Recording::start(Config::default().sample_interval(4096).lifetimes(true).seed(3));
    let blocks = held(4000, 700);
    drop(held(2000, 90));
    drop(blocks);
    let written = recording.snapshot().unwrap().profile();
    let read = through_a_file(&written);
    assert_eq!(read.metadata.session, written.metadata.session);
    assert_eq!(read.metadata.peak, written.metadata.peak);
    assert_eq!(read.metadata.elapsed, written.metadata.elapsed);
    assert_eq!(read.metadata.sizes.len(), written.metadata.sizes.len());
    assert!(read.metadata.sizes[10] > 3500.0, "700 needs 10 bits: {:?}", read.metadata.sizes);
    assert_eq!(read.samples.len(), written.samples.len());
    for (read, written) in read.samples.iter().zip(&written.samples) {
        let of = |sample: &allometer_profile::Sample| {
            [sample.figures.alloc, sample.figures.live, sample.peak]
                .map(|amount| [amount.objects, amount.bytes])
        };
        for (read, written) in of(read).into_iter().flatten().zip(of(written).into_iter().flatten()) {
            assert_near(read, written);
        }
        let total =
            |sample: &allometer_profile::Sample| sample.lifetimes.as_ref().map_or(0.0, |it| it.total());
        assert!((total(read) - total(written)).abs() <= 1e-6 * total(written));
    }
    let peak = read.at_peak().unwrap().total().live.bytes;
    assert!(peak.value > 2e6 && peak.standard_error() > 0.0, "{peak:?}");
}

fn two_files_of_a_session_share_their_samples(_: &Subject) {
    let recording = Recording::start(Config::default().sample_interval(4096).seed(5));
    let _kept = held(1000, 500);
    let before = recording.snapshot().unwrap().profile();
    let _more = held(1000, 500);
    let after = recording.snapshot().unwrap().profile();
    let between = |before: &Profile, after: &Profile| -> Growth {
        let objects = |profile: &Profile| -> Vec<LiveObject> {
            profile.samples.iter().flat_map(|sample| sample.live_objects.clone()).collect()
        };
        growth(&objects(before), &objects(after))
    };
    let written = between(&before, &after);
    let read = between(&through_a_file(&before), &through_a_file(&after));
    assert!(written.amount.bytes.value > 300_000.0, "{written:?}");
    // The recorder's weights are in fixed point.
    let is_near = |read: f64, written: f64| (read - written).abs() <= 1e-5 * written;
    assert!(is_near(read.amount.bytes.value, written.amount.bytes.value), "{read:?} {written:?}");
    assert!(is_near(read.amount.bytes.variance, written.amount.bytes.variance), "{read:?} {written:?}");
}
