//! For tests: a stack as text, leaf first, a location an entry, its functions with `|` between them, innermost first.

use crate::{Function, FunctionIndex, Line, Location, LocationIndex, Mapping, MappingIndex, Profile, Sample};

/// A profile of one stack. Functions of equal names are one. What begins with `libc.so` is in a mapping of that name.
pub(crate) fn profile(stack: &[&str]) -> Profile {
    let mut profile = Profile::default();
    add(&mut profile, stack);
    profile
}

/// Adds a sample with this stack, and its locations.
pub(crate) fn add(profile: &mut Profile, stack: &[&str]) {
    let mut sample = Sample::default();
    for names in stack {
        let lines =
            names.split('|').map(|name| Line { function: function(profile, name), line: 1 }).collect();
        let mapping = names.starts_with("libc.so").then(|| libc(profile));
        sample.stack.push(LocationIndex(profile.locations.len() as u32));
        profile.locations.push(Location { lines, mapping, ..Location::default() });
    }
    profile.samples.push(sample);
}

fn function(profile: &mut Profile, name: &str) -> FunctionIndex {
    let known = profile.functions.iter().position(|function| function.name == name);
    let index = known.unwrap_or_else(|| {
        profile.functions.push(Function { name: name.to_owned(), ..Function::default() });
        profile.functions.len() - 1
    });
    FunctionIndex(index as u32)
}

fn libc(profile: &mut Profile) -> MappingIndex {
    if profile.mappings.is_empty() {
        profile.mappings.push(Mapping { path: "/lib/libc.so.6".to_owned(), ..Mapping::default() });
    }
    MappingIndex(0)
}

/// The stack of the sample at a position.
pub(crate) fn read(profile: &Profile, sample: usize) -> Vec<String> {
    let name = |line: &Line| profile.function(line.function).unwrap().name.as_str();
    let names = |location: &Location| location.lines.iter().map(name).collect::<Vec<_>>().join("|");
    let stack = profile.samples[sample].stack.iter();
    stack.map(|index| names(profile.location(*index).unwrap())).collect()
}
