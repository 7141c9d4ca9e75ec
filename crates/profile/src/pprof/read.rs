use std::io::BufRead;

use prost::Message;

use super::fields::Fields;
use super::messages::{
    Details, Function, Label, Line, LiveObjects, Location, Mapping, Profile, ProviderFigure, Sample, Session,
    ValueType,
};
use crate::limit::Budget;
use crate::{Error, Place, Table};

/// Puts a message together from its fields, as long as there is `memory` for it and for the profile it becomes.
pub(super) fn message(mut fields: Fields<impl BufRead>, memory: &Budget) -> Result<Profile, Error> {
    let mut message = Profile::default();
    while let Some(field) = fields.next()? {
        let place = place(field.number, &message).unwrap_or(field.place);
        let (comments, lists) = (message.comment.len(), message.live_objects().len());
        message.merge(field.bytes).map_err(|error| Error::Message { place, reason: error.to_string() })?;
        let added = (message.comment.len() - comments) as u64 * entry::<i64, String>();
        let lists = message.live_objects().iter().skip(lists).map(live_objects).sum::<u64>();
        memory.take(cost(field.number, &message) + added + lists, place)?;
    }
    Ok(message)
}

/// The place of the entry that a field of this number adds.
fn place(number: u64, message: &Profile) -> Option<Place> {
    Some(match number {
        1 => Place::SampleType(message.sample_type.len()),
        2 => Place::Sample(message.sample.len()),
        3 => Place::Row(Table::Mapping, message.mapping.len()),
        4 => Place::Row(Table::Location, message.location.len()),
        5 => Place::Row(Table::Function, message.function.len()),
        6 => Place::Text(message.string_table.len()),
        7 | 9..=12 | 14 => Place::Header,
        13 => Place::Comment(message.comment.len()),
        _ => return None,
    })
}

/// What the entry that was added last takes of memory, here and in the profile, without the texts that it names.
fn cost(number: u64, message: &Profile) -> u64 {
    match number {
        1 => entry::<ValueType, [u64; 2]>(),
        2 => entry::<Sample, crate::Sample>() + message.sample.last().map_or(0, sample),
        3 => entry::<Mapping, crate::Mapping>(),
        4 => entry::<Location, crate::Location>() + message.location.last().map_or(0, location),
        5 => entry::<Function, crate::Function>(),
        6 => {
            entry::<String, u64>() + message.string_table.last().map_or(0, |text| list::<u8>(text.capacity()))
        }
        11 => message.session().map_or(0, session),
        _ => 0,
    }
}

fn sample(sample: &Sample) -> u64 {
    list::<u64>(sample.location_id.capacity())
        + list::<u64>(sample.value.capacity())
        + list::<Label>(sample.label.capacity())
        + list::<u32>(sample.location_id.len())
        + sample.details.as_ref().map_or(0, details)
}

fn details(details: &Details) -> u64 {
    let numbers = details.variances.capacity()
        + details.peak_variances.capacity()
        + details.lifetime_objects.capacity()
        + details.lifetime_classes.capacity();
    let lifetimes = if details.lifetime_classes.is_empty() { 0 } else { list::<crate::Lifetimes>(1) };
    5 * list::<()>(1) + list::<u32>(numbers) + list::<u64>(details.peak.capacity()) + lifetimes
}

fn session(session: &Session) -> u64 {
    let figures = session.provider_figures.capacity();
    list::<f64>(3 * session.sizes.capacity())
        + figures as u64 * entry::<ProviderFigure, crate::ProviderFigure>()
}

fn live_objects(objects: &LiveObjects) -> u64 {
    entry::<LiveObjects, ()>()
        + list::<i64>(objects.births.capacity())
        + list::<u64>(objects.sizes.capacity())
        + list::<f64>(objects.weights.capacity())
}

fn location(location: &Location) -> u64 {
    list::<Line>(location.line.capacity()) + list::<crate::Line>(location.line.len())
}

/// Of an entry in a list that grows by doubling, while the old one is still there, and in the list that it is turned
/// into, with an id in a table of those.
const fn entry<From, To>() -> u64 {
    3 * size_of::<From>() as u64 + size_of::<To>() as u64 + 32
}

/// Of a list of this length and the allocator's share.
fn list<T>(len: usize) -> u64 {
    if len == 0 { 0 } else { 32 + (len * size_of::<T>()) as u64 }
}
