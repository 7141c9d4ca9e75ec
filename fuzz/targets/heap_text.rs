//! Any bytes as a heap profile of any kind, the text of jemalloc and gperftools above all. What can be read says the same
//! once it was written as pprof and read again, and twice as much once it was merged with itself.
#![no_main]

use allometer_fuzz::Meaning;
use allometer_profile::{Profile, SampleType};
use allometer_views::{folded, top};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let profile = match Profile::read(data) {
        Ok(profile) => profile,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.chars().any(char::is_control) && text.len() < 8192, "{text:?}");
            return;
        }
    };
    let again = Profile::from_pprof(&profile.to_pprof()).expect("reads what it wrote");
    assert_eq!(Meaning::of(&profile), Meaning::of(&again));
    let twice = Profile::merge([profile.clone(), again.clone()]);
    assert!(twice.samples.len() <= profile.samples.len() + again.samples.len());
    for sample_type in SampleType::ALL {
        let value = |profile: &Profile| profile.total().get(sample_type).value;
        let (expected, found) = (value(&profile) + value(&again), value(&twice));
        assert!((expected - found).abs() <= 1e-9 * expected, "{expected} {found}");
    }
    for text in [top(&profile, 9).to_string(), folded(&twice, SampleType::LiveBytes)] {
        let is_shown_badly = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
        assert!(!text.chars().any(is_shown_badly), "{text:?}");
    }
});
