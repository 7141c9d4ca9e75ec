use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use super::positions::Positions;
use super::{NO_DELTA, TAG, comments, details, drop_frames, messages, no_module};
use crate::limit::Budget;
use crate::names::Names;
use crate::{
    Error, Figures, Function, FunctionIndex, Line, Location, LocationIndex, LookupAddress, Mapping,
    MappingIndex, Metadata, Place, Profile, Sample, SampleType, SymbolsFound, Table,
};

/// The profile in a message, or what is wrong with it and where.
pub(super) fn profile(message: &messages::Profile, memory: &Budget) -> Result<Profile, Error> {
    let texts = Texts::of(message, memory)?;
    let columns = Columns::of(message, &texts)?;
    let mappings = Positions::of(Table::Mapping, message.mapping.iter().map(|each| each.id))?;
    let functions = Positions::of(Table::Function, message.function.iter().map(|each| each.id))?;
    let locations = Positions::of(Table::Location, message.location.iter().map(|each| each.id))?;
    let mut profile = Profile {
        metadata: metadata(message, &texts, &columns)?,
        mappings: list(&message.mapping, |_, each| mapping(each, &texts))?,
        functions: list(&message.function, |_, each| function(each, &texts))?,
        locations: list(&message.location, |_, each| location(each, &mappings, &functions))?,
        samples: Vec::new(),
    };
    no_module::take_away(&mut profile);
    let names = Names::of(&profile);
    let mut tags = Tags::of(&texts);
    profile.samples = list(&message.sample, |position, sample| {
        let place = Place::Sample(position);
        let stack = list(&sample.location_id, |_, &id| Ok(LocationIndex(locations.find(id, place)?)))?;
        names.count(&stack, place)?;
        let (tag, figures) = (tags.tag(&sample.label, place)?, columns.figures(position, sample)?);
        let mut read = Sample { stack, tag, figures, ..Sample::default() };
        if let Some(details) = &sample.details {
            details::read_sample(details, &mut read, place)?;
        }
        Ok(read)
    })?;
    details::read_live_objects(message.live_objects(), &mut profile, memory)?;
    Ok(profile)
}

/// A list made from another, in exactly the room that it takes.
fn list<T, U>(entries: &[T], mut read: impl FnMut(usize, &T) -> Result<U, Error>) -> Result<Vec<U>, Error> {
    let mut list = Vec::with_capacity(entries.len());
    for (position, entry) in entries.iter().enumerate() {
        list.push(read(position, entry)?);
    }
    Ok(list)
}

/// The string table.
struct Texts<'message> {
    table: &'message [String],
    memory: &'message Budget,
}

impl<'message> Texts<'message> {
    fn of(message: &'message messages::Profile, memory: &'message Budget) -> Result<Self, Error> {
        match message.string_table.first() {
            Some(first) if first.is_empty() => Ok(Self { table: &message.string_table, memory }),
            _ => Err(Error::StringTable),
        }
    }

    fn get(&self, index: i64, place: Place) -> Result<&'message str, Error> {
        let text = usize::try_from(index).ok().and_then(|index| self.table.get(index));
        text.map(|text| &**text).ok_or(Error::NoSuchString { place, index, len: self.table.len() })
    }

    /// A copy of its own. A long text can be asked for many times.
    fn copy(&self, index: i64, place: Place) -> Result<String, Error> {
        let text = self.get(index, place)?;
        if !text.is_empty() {
            self.memory.take(text.len() as u64 + ALLOCATION, place)?;
        }
        Ok(text.to_owned())
    }
}

/// What an allocator takes for a small block beside its contents.
const ALLOCATION: u64 = 32;

/// The tags that samples have, each text once.
struct Tags<'message> {
    texts: &'message Texts<'message>,
    /// By index of the text.
    tags: BTreeMap<i64, Arc<str>>,
}

/// What a tag takes beside its text: its counts, and an entry among the tags.
const TAG_ENTRY: u64 = 64;

impl<'message> Tags<'message> {
    fn of(texts: &'message Texts<'message>) -> Self {
        Self { texts, tags: BTreeMap::new() }
    }

    /// The tag among a sample's labels; the first one where there are more.
    fn tag(&mut self, labels: &[messages::Label], place: Place) -> Result<Option<Arc<str>>, Error> {
        for label in labels {
            if self.texts.get(label.key, place)? != TAG || label.text == 0 {
                continue;
            }
            if let Some(tag) = self.tags.get(&label.text) {
                return Ok(Some(Arc::clone(tag)));
            }
            let text = self.texts.get(label.text, place)?;
            self.texts.memory.take(text.len() as u64 + ALLOCATION + TAG_ENTRY, place)?;
            let tag: Arc<str> = text.into();
            self.tags.insert(label.text, Arc::clone(&tag));
            return Ok(Some(tag));
        }
        Ok(None)
    }
}

/// Where in a sample's values the figures are.
struct Columns {
    of_type: [Option<usize>; 4],
    count: usize,
}

/// Sample types, and letters of each, that an error names at most.
const SHOWN: usize = 32;

impl Columns {
    fn of(message: &messages::Profile, texts: &Texts<'_>) -> Result<Self, Error> {
        let mut of_type = [None; 4];
        let mut found = Vec::new();
        for (position, value_type) in message.sample_type.iter().enumerate() {
            let place = Place::SampleType(position);
            let (kind, unit) = (texts.get(value_type.kind, place)?, texts.get(value_type.unit, place)?);
            if found.len() < SHOWN {
                found.push(kind.chars().take(SHOWN).collect());
            }
            for (sample_type, column) in SampleType::ALL.iter().zip(&mut of_type) {
                let (name, expected) = (sample_type.name(), sample_type.unit());
                if kind != name {
                    continue;
                }
                if unit != expected {
                    return Err(Error::Unit { name, found: unit.chars().take(SHOWN).collect(), expected });
                }
                if column.replace(position).is_some() {
                    return Err(Error::DuplicateType { name });
                }
            }
        }
        if of_type == [None; 4] {
            return Err(Error::NotHeap { found });
        }
        Ok(Self { of_type, count: message.sample_type.len() })
    }

    fn types(&self) -> impl Iterator<Item = (SampleType, usize)> {
        SampleType::ALL.into_iter().zip(self.of_type).filter_map(|(each, column)| Some((each, column?)))
    }

    fn figures(&self, position: usize, sample: &messages::Sample) -> Result<Figures, Error> {
        let values = &sample.value;
        if values.len() != self.count {
            return Err(Error::ValueCount { sample: position, values: values.len(), types: self.count });
        }
        let mut figures = Figures::default();
        for (sample_type, column) in self.types() {
            figures.get_mut(sample_type).value = values.get(column).copied().unwrap_or_default() as f64;
        }
        Ok(figures)
    }
}

fn mapping(message: &messages::Mapping, texts: &Texts<'_>) -> Result<Mapping, Error> {
    let place = Place::Entry(Table::Mapping, message.id);
    Ok(Mapping {
        start: message.memory_start,
        limit: message.memory_limit,
        offset: message.file_offset,
        path: texts.copy(message.filename, place)?,
        build_id: Some(texts.copy(message.build_id, place)?).filter(|build_id| !build_id.is_empty()),
        symbols: SymbolsFound {
            functions: message.has_functions,
            files: message.has_filenames,
            lines: message.has_line_numbers,
            inlines: message.has_inline_frames,
        },
    })
}

fn function(message: &messages::Function, texts: &Texts<'_>) -> Result<Function, Error> {
    let text = |index| texts.copy(index, Place::Entry(Table::Function, message.id));
    Ok(Function {
        name: text(message.name)?,
        system_name: text(message.system_name)?,
        file: text(message.filename)?,
    })
}

fn location(
    message: &messages::Location,
    mappings: &Positions,
    functions: &Positions,
) -> Result<Location, Error> {
    let place = Place::Entry(Table::Location, message.id);
    let mapping = match message.mapping_id {
        0 => None,
        id => Some(MappingIndex(mappings.find(id, place)?)),
    };
    let line = |_, message: &messages::Line| {
        let function = FunctionIndex(functions.find(message.function_id, place)?);
        let line =
            u32::try_from(message.line).map_err(|_| Error::LineOutOfRange { place, line: message.line })?;
        Ok(Line { function, line })
    };
    let address = match message.address {
        0 => None,
        address => Some(LookupAddress::from_profile(address).return_address()),
    };
    Ok(Location { address, mapping, lines: list(&message.line, line)? })
}

fn metadata(message: &messages::Profile, texts: &Texts<'_>, columns: &Columns) -> Result<Metadata, Error> {
    let default_type = texts.get(message.default_sample_type, Place::Header)?;
    let named = columns.types().find(|(sample_type, _)| sample_type.name() == default_type);
    // Without a default, viewers show the last type.
    let default_type = named.or_else(|| columns.types().last()).map(|(sample_type, _)| sample_type);
    let period_unit = message.period_type.as_ref().map_or(0, |period_type| period_type.unit);
    let period_unit = texts.get(period_unit, Place::Header)?;
    let start = u64::try_from(message.time_nanos).ok().filter(|&nanoseconds| nanoseconds != 0);
    let mut metadata = Metadata {
        start: start.and_then(|nanoseconds| UNIX_EPOCH.checked_add(Duration::from_nanos(nanoseconds))),
        duration: Duration::from_nanos(u64::try_from(message.duration_nanos).unwrap_or(0)),
        sample_interval: match period_unit {
            "bytes" => u64::try_from(message.period).unwrap_or(0),
            _ => 0,
        },
        default_type: default_type.unwrap_or_default(),
        live: columns
            .types()
            .any(|(each, _)| matches!(each, SampleType::LiveObjects | SampleType::LiveBytes)),
        left_out_at_leaf: drop_frames::read(texts.get(message.drop_frames, Place::Header)?),
        is_interval: is_interval(message, texts)?,
        ..Metadata::default()
    };
    let lines = list(&message.comment, |position, &index| texts.copy(index, Place::Comment(position)))?;
    let has_errors =
        |sample: &messages::Sample| sample.details.as_ref().is_some_and(|it| !it.variances.is_empty());
    comments::read(lines, message.sample.iter().any(has_errors), &mut metadata);
    if let Some(session) = message.session() {
        details::read_session(session, &mut metadata, |index| texts.copy(index, Place::Header))?;
    }
    Ok(metadata)
}

/// All samples say so, or none.
fn is_interval(message: &messages::Profile, texts: &Texts<'_>) -> Result<bool, Error> {
    let place = Place::Sample(0);
    for label in message.sample.first().map(|sample| &*sample.label).unwrap_or_default() {
        if [texts.get(label.key, place)?, texts.get(label.text, place)?] == NO_DELTA {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
