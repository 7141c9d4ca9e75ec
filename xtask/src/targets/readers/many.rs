//! A profile of a hundred thousand stacks.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use allometer_profile::{
    Amount, Estimate, Figures, Function, FunctionIndex, Line, Location, LocationIndex, Mapping, MappingIndex,
    Metadata, Profile, ReturnAddress, Sample, SymbolsFound,
};

use crate::{
    error::Error,
    targets::readers::subject::{Program, Subject},
};

/// The functions of a level.
const WIDTH: u32 = 10;
/// The levels, outermost first, and at how many lines each of its functions calls those of the next.
const LEVELS: [(&str, u32); 3] = [("outer", 10), ("middle", 10), ("inner", 1)];

static MANY: Program = Program { crates: &["many"], ..Program::UNKNOWN };

/// Writes it into `directory`.
pub(super) fn write(directory: &Path) -> Result<Subject, Error> {
    let path = directory.join("many.pb.gz");
    fs::write(&path, profile().to_pprof_gzip()).map_err(|source| Error::Write { path, source })?;
    Subject::read(directory, "many", &MANY)
}

fn profile() -> Profile {
    let mut profile = Profile {
        metadata: Metadata {
            sample_interval: 1,
            live: true,
            start: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1)),
            ..Metadata::default()
        },
        mappings: vec![Mapping {
            start: 1 << 20,
            limit: 1 << 30,
            path: "/no/such/many".to_owned(),
            symbols: SymbolsFound { functions: true, files: true, lines: true, inlines: true },
            ..Mapping::default()
        }],
        ..Profile::default()
    };
    let [outer, middle, inner] = LEVELS.map(|(name, lines)| add_level(&mut profile, name, lines));
    for &outer in &outer {
        for &middle in &middle {
            let stacks = inner.iter().map(|&inner| vec![inner, middle, outer]);
            profile.samples.extend(stacks.map(|stack| Sample {
                stack,
                figures: page(),
                ..Sample::default()
            }));
        }
    }
    profile
}

/// The places of a level's functions.
fn add_level(profile: &mut Profile, level: &str, lines: u32) -> Vec<LocationIndex> {
    let mut places = Vec::new();
    for number in 0..WIDTH {
        let function = add_function(profile, format!("many::{level}{number}"));
        places.extend((1..=lines).map(|line| add_location(profile, function, line)));
    }
    places
}

fn page() -> Figures {
    let amount = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
    Figures { alloc: amount, live: amount }
}

fn add_function(profile: &mut Profile, name: String) -> FunctionIndex {
    let system_name = format!("_{name}");
    profile.functions.push(Function { name, system_name, file: "/no/such/many.rs".to_owned() });
    FunctionIndex(profile.functions.len() as u32 - 1)
}

fn add_location(profile: &mut Profile, function: FunctionIndex, line: u32) -> LocationIndex {
    let address = (1 << 20) + 16 * profile.locations.len() as u64 + 1;
    profile.locations.push(Location {
        address: Some(ReturnAddress::new(address)),
        mapping: Some(MappingIndex(0)),
        lines: vec![Line { function, line }],
    });
    LocationIndex(profile.locations.len() as u32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_a_hundred_thousand_stacks() {
        let profile = profile();
        let mut stacks: Vec<_> = profile.samples.iter().map(|sample| &sample.stack).collect();
        stacks.sort();
        stacks.dedup();
        assert_eq!(stacks.len(), 100_000);
        assert_eq!(profile.total().live.bytes.value, 409_600_000.0);
    }
}
