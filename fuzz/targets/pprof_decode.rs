//! Any bytes as a pprof file. What can be read says the same once it was written and read again, and can be looked
//! at in every way.
#![no_main]

use allometer_fuzz::Meaning;
use allometer_profile::{Profile, SampleType};
use allometer_views::{FlamegraphOptions, diff, flamegraph, folded, top};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let profile = match Profile::from_pprof(data) {
        Ok(profile) => profile,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.chars().any(char::is_control) && text.len() < 8192, "{text:?}");
            return;
        }
    };
    let again = Profile::from_pprof(&profile.to_pprof()).expect("reads what it wrote");
    assert_eq!(Meaning::of(&profile), Meaning::of(&again));
    let third = Profile::from_pprof(&again.to_pprof()).expect("reads what it wrote");
    assert_eq!(again, third);
    look_at(&profile, &again);
});

fn look_at(profile: &Profile, again: &Profile) {
    let mut texts = vec![top(profile, 3).to_string(), top(profile, usize::MAX).to_string()];
    texts.extend([diff(profile, again), diff(again, profile)].map(|diff| diff.to_string()));
    for sample_type in SampleType::ALL {
        texts.push(folded(profile, sample_type));
        // Drawing takes long.
        if profile.samples.len() < 8 {
            let options = FlamegraphOptions { sample_type, ..FlamegraphOptions::default() };
            texts.extend(flamegraph(profile, &options));
        }
    }
    for text in texts {
        let is_shown_badly = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
        assert!(!text.chars().any(is_shown_badly), "{text:?}");
    }
    for sample in &profile.samples {
        profile.place(sample, 3);
        profile.ages(sample);
    }
}
