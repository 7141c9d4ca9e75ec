use std::time::{SystemTime, UNIX_EPOCH};

use super::strings::Strings;
use super::{NO_DELTA, TAG, comments, details, drop_frames, messages, no_module};
use crate::{Function, Line, Location, Mapping, MappingIndex, Profile, Sample, SampleType};

/// The message for a profile. Indexes that lead outside their table are left out.
pub(super) fn message(profile: &Profile) -> messages::Profile {
    let metadata = &profile.metadata;
    let comment_lines = comments::write(metadata, profile.total());
    let drop_frames = drop_frames::write(metadata);
    let mut strings = Strings::new(metadata.default_type);
    let mut value_type =
        |kind, unit| messages::ValueType { kind: strings.add(kind), unit: strings.add(unit) };
    let sample_type = SampleType::ALL.map(|each| value_type(each.name(), each.unit())).to_vec();
    let period = value_type("space", "bytes");

    let is_written = |sample: &&Sample| values(sample) != [0; 4] || details::has_peak(sample);
    let samples: Vec<&Sample> = profile.samples.iter().filter(is_written).collect();
    let ids = Ids::of(profile, &samples);
    let no_module = ids.has_no_module(profile).then(no_module::mapping);
    let sample = samples
        .iter()
        .map(|sample| ids.sample(sample, labels(sample, metadata.is_interval, &mut strings)))
        .collect();
    let mappings = (1..).zip(profile.mappings.iter().chain(&no_module));
    let mapping = mappings.map(|(id, each)| mapping(id, each, &mut strings)).collect();
    let location = used(&profile.locations, &ids.locations);
    let location = location.map(|(id, location)| ids.location(id, location, profile)).collect();
    let function = used(&profile.functions, &ids.functions);
    let function = function.map(|(id, each)| function_message(id, each, &mut strings)).collect();

    messages::Profile {
        sample_type,
        sample,
        mapping,
        location,
        function,
        drop_frames: strings.add(&drop_frames),
        time_nanos: metadata.start.map_or(0, nanoseconds),
        duration_nanos: i64::try_from(metadata.duration.as_nanos()).unwrap_or(i64::MAX),
        period_type: Some(messages::PeriodType {
            kind: period.kind,
            unit: period.unit,
            live_objects: details::live_objects(&samples),
            session: details::session(metadata, &mut strings),
        }),
        period: i64::try_from(metadata.sample_interval).unwrap_or(i64::MAX),
        comment: comment_lines.iter().map(|line| strings.add(line)).collect(),
        default_sample_type: strings.add(metadata.default_type.name()),
        string_table: strings.into_table(),
    }
}

/// The four values as they are written.
fn values(sample: &Sample) -> [i64; 4] {
    SampleType::ALL.map(|sample_type| sample.figures.get(sample_type).rounded())
}

/// What tells a sample's tag, which the format has no other place for, and whether it is that of an interval. There is no label
/// for an empty text.
fn labels<'text>(
    sample: &'text Sample,
    is_interval: bool,
    strings: &mut Strings<'text>,
) -> Vec<messages::Label> {
    let tag = sample.tag.as_deref().filter(|tag| !tag.is_empty()).map(|tag| [TAG, tag]);
    let texts = tag.into_iter().chain(is_interval.then_some(NO_DELTA));
    texts.map(|[key, text]| messages::Label { key: strings.add(key), text: strings.add(text) }).collect()
}

/// The ids of the locations and functions that are written, dense from 1; 0 for those that nothing uses.
struct Ids {
    locations: Vec<u64>,
    functions: Vec<u64>,
}

impl Ids {
    fn of(profile: &Profile, samples: &[&Sample]) -> Self {
        let mut locations = vec![0; profile.locations.len()];
        for index in samples.iter().flat_map(|sample| &sample.stack) {
            mark(&mut locations, index.0);
        }
        let mut functions = vec![0; profile.functions.len()];
        for (_, location) in used(&profile.locations, &locations) {
            for line in &location.lines {
                mark(&mut functions, line.function.0);
            }
        }
        number(&mut locations);
        number(&mut functions);
        Self { locations, functions }
    }

    /// Whether one of the locations that are written is in no mapping.
    fn has_no_module(&self, profile: &Profile) -> bool {
        used(&profile.locations, &self.locations).any(|(_, location)| mapping_of(location, profile).is_none())
    }

    fn sample(&self, sample: &Sample, label: Vec<messages::Label>) -> messages::Sample {
        let id = |index: &crate::LocationIndex| self.locations.get(index.0 as usize).copied();
        let mut location_id = Vec::with_capacity(sample.stack.len());
        location_id.extend(sample.stack.iter().filter_map(id));
        messages::Sample {
            location_id,
            value: values(sample).to_vec(),
            label,
            details: details::sample(sample),
        }
    }

    fn location(&self, id: u64, location: &Location, profile: &Profile) -> messages::Location {
        let line = |line: &Line| {
            let function_id = self.functions.get(line.function.0 as usize).copied()?;
            Some(messages::Line { function_id, line: line.line.into() })
        };
        // The mapping for no module comes after all others.
        let mapping =
            mapping_of(location, profile).map_or(profile.mappings.len() as u64, |index| index.0.into());
        messages::Location {
            id,
            mapping_id: mapping + 1,
            // The format wants an address inside the call, so that readers who look for symbols themselves
            // find the call's line and not the next one.
            address: location.address.map_or(0, |address| address.lookup().get()),
            line: location.lines.iter().filter_map(line).collect(),
        }
    }
}

fn mapping_of(location: &Location, profile: &Profile) -> Option<MappingIndex> {
    location.mapping.filter(|&index| profile.mapping(index).is_some())
}

/// The entries of a table that are written, with their ids.
fn used<'table, T>(table: &'table [T], ids: &[u64]) -> impl Iterator<Item = (u64, &'table T)> {
    ids.iter().copied().zip(table).filter(|&(id, _)| id != 0)
}

fn mark(ids: &mut [u64], index: u32) {
    if let Some(id) = ids.get_mut(index as usize) {
        *id = 1;
    }
}

fn number(ids: &mut [u64]) {
    for (id, used) in (1..).zip(ids.iter_mut().filter(|used| **used != 0)) {
        *used = id;
    }
}

fn mapping<'text>(id: u64, mapping: &'text Mapping, strings: &mut Strings<'text>) -> messages::Mapping {
    messages::Mapping {
        id,
        memory_start: mapping.start,
        memory_limit: mapping.limit,
        file_offset: mapping.offset,
        filename: strings.add(&mapping.path),
        build_id: strings.add(mapping.build_id.as_deref().unwrap_or_default()),
        has_functions: mapping.symbols.functions,
        has_filenames: mapping.symbols.files,
        has_line_numbers: mapping.symbols.lines,
        has_inline_frames: mapping.symbols.inlines,
    }
}

fn function_message<'text>(
    id: u64,
    function: &'text Function,
    strings: &mut Strings<'text>,
) -> messages::Function {
    messages::Function {
        id,
        name: strings.add(&function.name),
        system_name: strings.add(&function.system_name),
        filename: strings.add(&function.file),
    }
}

/// Nanoseconds since 1970; a time before that, or after 2262, is the nearest that the format can tell.
fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Amount, Estimate, Figures, FunctionIndex, LocationIndex, MappingIndex, ReturnAddress};

    fn live(bytes: f64) -> Figures {
        let amount = Amount { objects: Estimate::default(), bytes: Estimate::exact(bytes) };
        Figures { live: amount, ..Figures::default() }
    }

    fn function(name: &str) -> Function {
        Function { name: name.to_owned(), ..Function::default() }
    }

    fn location(function: u32) -> Location {
        Location {
            address: Some(ReturnAddress::new(0x1001)),
            mapping: Some(MappingIndex(9)),
            lines: vec![Line { function: FunctionIndex(function), line: 3 }],
        }
    }

    #[test]
    fn leaves_out_samples_that_round_to_zero_and_what_only_they_use() {
        let profile = Profile {
            functions: vec![function("gone"), function("kept")],
            locations: vec![location(0), location(1)],
            samples: vec![
                Sample { stack: vec![LocationIndex(0)], figures: live(0.4), ..Sample::default() },
                Sample { stack: vec![LocationIndex(1)], figures: live(0.5), ..Sample::default() },
            ],
            ..Profile::default()
        };
        let message = message(&profile);
        let [sample] = &*message.sample else { panic!("one sample") };
        assert_eq!((&*sample.location_id, &*sample.value), (&[1][..], &[0, 0, 0, 1][..]));
        let [location] = &*message.location else { panic!("one location") };
        assert_eq!((location.id, location.address, location.mapping_id), (1, 0x1000, 1));
        let [kept] = &*message.function else { panic!("one function") };
        assert_eq!((kept.id, &*message.string_table[kept.name as usize]), (1, "kept"));
    }

    #[test]
    fn every_location_has_a_mapping_and_a_profile_without_need_no_more() {
        let written = |mapping| {
            let sample = Sample { stack: vec![LocationIndex(0)], figures: live(8.0), ..Sample::default() };
            message(&Profile {
                mappings: vec![Mapping { path: "/bin/main".to_owned(), ..Mapping::default() }],
                locations: vec![Location { mapping, ..location(0) }],
                samples: vec![sample],
                ..Profile::default()
            })
        };
        let inside = written(Some(MappingIndex(0)));
        assert_eq!((inside.mapping.len(), inside.location[0].mapping_id), (1, 1));
        for mapping in [None, Some(MappingIndex(1))] {
            let outside = written(mapping);
            let [_, none] = &*outside.mapping else { panic!("two mappings") };
            assert_eq!((none.id, outside.location[0].mapping_id), (2, 2));
            assert_eq!(&*outside.string_table[none.filename as usize], "[no module]");
            assert!(none.has_functions && !none.has_line_numbers);
        }
    }

    #[test]
    fn indexes_outside_their_table_are_left_out() {
        let sample = Sample {
            stack: vec![LocationIndex(7), LocationIndex(0)],
            figures: live(8.0),
            ..Sample::default()
        };
        let profile = Profile { locations: vec![location(5)], samples: vec![sample], ..Profile::default() };
        let message = message(&profile);
        assert_eq!(message.sample[0].location_id, [1]);
        assert!(message.location[0].line.is_empty());
    }

    #[test]
    fn lists_the_types_in_the_usual_order() {
        let message = message(&Profile::default());
        let text = |index: i64| &*message.string_table[index as usize];
        let types: Vec<_> =
            message.sample_type.iter().map(|each| (text(each.kind), text(each.unit))).collect();
        let expected = [
            ("alloc_objects", "count"),
            ("alloc_space", "bytes"),
            ("inuse_objects", "count"),
            ("inuse_space", "bytes"),
        ];
        assert_eq!(types, expected);
        let period = message.period_type.unwrap();
        assert_eq!((text(period.kind), text(period.unit)), ("space", "bytes"));
        assert_eq!(message.default_sample_type, 3);
    }
}
