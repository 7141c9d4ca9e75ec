use allometer_profile::{Line, Location, LocationIndex, Mapping, Profile, Sample, SampleType};

/// What a profile's samples say, with the tables that they refer to written out: two profiles that say the same are
/// equal, whatever the order of their tables and whatever else is in these.
#[derive(Debug, PartialEq)]
pub struct Meaning(Vec<(Vec<Frame>, [i64; 4])>);

type Frame = (Option<u64>, Option<Mapping>, Vec<[String; 4]>);

impl Meaning {
    /// Of what an encoder writes: values as whole numbers, and no sample without any.
    pub fn of(profile: &Profile) -> Self {
        let values = |sample: &Sample| SampleType::ALL.map(|each| sample.figures.get(each).rounded());
        let samples = profile.samples.iter().filter(|sample| values(sample) != [0; 4]);
        Self(
            samples
                .map(|sample| (sample.stack.iter().map(|at| frame(profile, *at)).collect(), values(sample)))
                .collect(),
        )
    }
}

fn frame(profile: &Profile, at: LocationIndex) -> Frame {
    let location = profile.location(at).cloned().unwrap_or_default();
    let Location { address, mapping, lines } = location;
    let line = |line: &Line| {
        let function = profile.function(line.function).cloned().unwrap_or_default();
        [function.name, function.system_name, function.file, line.line.to_string()]
    };
    let mapping = mapping.and_then(|index| profile.mapping(index)).cloned();
    (address.map(|address| address.lookup().get()), mapping, lines.iter().map(line).collect())
}
