//! Names for a profile that was made without them: later, on another machine, from files that somebody finds.

mod mapping_names;
mod symbol_file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{io, mem};

pub use mapping_names::MappingNames;
pub use symbol_file::SymbolFile;

use crate::function_table::{FunctionTable, name_of_offset};
use crate::symbols::found_file::FoundFile;
use crate::symbols::object_file::build_id;
use crate::symbols::segments::Segments;
use crate::symbols::{Frames, Symbolizer};
use crate::{Function, FunctionIndex, Line, Location, Mapping, Profile, Symbolization};

impl Symbolizer {
    /// Gives the locations of a profile the names that they would have got where it was made, and leaves out what has
    /// to be left out by name ([`Metadata::left_out_at_leaf`](crate::Metadata::left_out_at_leaf)).
    ///
    /// `find` is asked for the file of each mapping that a location is in: the program or library itself, a copy of it
    /// that still has its symbols, or the file that its debug information was split into. No other file is opened,
    /// whatever the profile says. A file is used if its build id is that of the mapping; where one of the two has
    /// none, only if it is [`SymbolFile::vouched`] for. Names that are there already stay, unless the file is
    /// [`SymbolFile::replacing`] them.
    ///
    /// The answer says what became of each of [`Profile::mappings`], in their order.
    ///
    /// ```
    /// use allometer_profile::{MappingNames, Profile, SymbolFile, Symbolizer};
    ///
    /// # let bytes = Profile::default().to_pprof();
    /// let mut profile = Profile::from_pprof(&bytes)?;
    /// // The build of the release that ran, as it was before its symbols were stripped.
    /// let found = Symbolizer::new().symbolize(&mut profile, |mapping| {
    ///     mapping.path.ends_with("/shop").then(|| SymbolFile::new("releases/shop-1.4"))
    /// });
    /// for (mapping, names) in profile.mappings.iter().zip(&found) {
    ///     println!("{}: {names}", mapping.path);
    /// }
    /// # Ok::<(), allometer_profile::Error>(())
    /// ```
    pub fn symbolize(
        &mut self,
        profile: &mut Profile,
        mut find: impl FnMut(&Mapping) -> Option<SymbolFile>,
    ) -> Vec<MappingNames> {
        let mut answers = vec![MappingNames::NotAsked; profile.mappings.len()];
        if self.symbolization() == Symbolization::None {
            return answers;
        }
        let mut files: BTreeMap<PathBuf, Vec<Part<'_>>> = BTreeMap::new();
        let by_mapping = profile.mappings.iter().zip(inside(profile)).zip(&mut answers);
        for ((mapping, mut locations), answer) in by_mapping.filter(|((_, inside), _)| !inside.is_empty()) {
            let Some(file) = find(mapping) else {
                *answer = MappingNames::NoFile;
                continue;
            };
            if !file.replacing {
                locations.retain(|&(location, _)| lacks_name(profile, location, mapping));
            }
            let part = Part { mapping, locations, is_vouched: file.vouched, answer };
            files.entry(file.path).or_default().push(part);
        }
        let mut found = vec![None; profile.locations.len()];
        for (path, mut parts) in files {
            if let Err(answer) = self.look_in(&path, &mut parts, &mut found) {
                parts.into_iter().for_each(|part| *part.answer = answer.clone());
            }
        }
        name(profile, &found);
        profile.leave_out_by_name();
        answers
    }

    /// Looks up what lies in one file; an error is the answer for all parts.
    fn look_in(
        &mut self,
        path: &Path,
        parts: &mut [Part<'_>],
        found: &mut [Option<Found>],
    ) -> Result<(), MappingNames> {
        let unreadable =
            |error: io::Error| MappingNames::Unreadable { path: path.to_owned(), kind: error.kind() };
        let no_object = || MappingNames::NoObject { path: path.to_owned() };
        let file = FoundFile::open(path).map_err(unreadable)?.ok_or_else(no_object)?;
        let (places, frames) = {
            let object = file.object().ok_or_else(no_object)?;
            let contents = Contents { path, build_id: build_id(&object), segments: Segments::of(&object) };
            let places: Vec<_> = parts.iter_mut().flat_map(|part| part.look_for(&contents)).collect();
            let addresses: Vec<u64> = places.iter().map(|&(_, address)| address).collect();
            (places, self.resolve_found(path, &file, &object, &addresses))
        };
        if !file.stayed_the_same().map_err(unreadable)? {
            return Err(MappingNames::Changed { path: path.to_owned() });
        }
        for ((location, address), frames) in places.into_iter().zip(frames) {
            if let Some(place) = found.get_mut(location) {
                *place = Some(Found { address, frames });
            }
        }
        for part in parts {
            part.count(found);
        }
        Ok(())
    }
}

/// What was found of a location: its virtual address in the file, and the functions there.
#[derive(Clone)]
struct Found {
    address: u64,
    frames: Frames,
}

/// The locations of one mapping that are looked up in one file: their positions, and lookup addresses.
struct Part<'a> {
    mapping: &'a Mapping,
    locations: Vec<(usize, u64)>,
    is_vouched: bool,
    answer: &'a mut MappingNames,
}

/// What is known of a file before anything is looked up in it.
struct Contents<'a> {
    path: &'a Path,
    build_id: Option<String>,
    segments: Segments,
}

impl Part<'_> {
    /// Its locations with their virtual addresses in the file; none if that is not the right one.
    fn look_for(&mut self, file: &Contents<'_>) -> Vec<(usize, u64)> {
        match self.bias(file) {
            Ok(bias) => {
                *self.answer = MappingNames::LookedUp { locations: self.locations.len(), named: 0 };
                let in_file = |&(location, address): &(usize, u64)| (location, address.wrapping_sub(bias));
                self.locations.iter().map(in_file).collect()
            }
            Err(refused) => {
                *self.answer = refused;
                Vec::new()
            }
        }
    }

    fn bias(&self, file: &Contents<'_>) -> Result<u64, MappingNames> {
        let path = || file.path.to_owned();
        let (expected, found) = (&self.mapping.build_id, &file.build_id);
        match (expected, found) {
            (Some(expected), Some(found)) if expected.eq_ignore_ascii_case(found) => {}
            (Some(expected), Some(found)) => {
                let (expected, found) = (expected.clone(), found.clone());
                return Err(MappingNames::OtherBuild { path: path(), expected, found });
            }
            _ if self.is_vouched => {}
            _ => return Err(MappingNames::NotVouched { path: path() }),
        }
        let addresses: Vec<u64> = self.locations.iter().map(|&(_, address)| address).collect();
        if addresses.is_empty() {
            return Ok(0);
        }
        let bias = file.segments.bias(self.mapping, &addresses);
        bias.ok_or_else(|| MappingNames::OtherLayout { path: path() })
    }

    fn count(&mut self, found: &[Option<Found>]) {
        if let MappingNames::LookedUp { named, .. } = &mut *self.answer {
            let is_named = |found: &Found| !found.frames.is_empty();
            let of_part = self.locations.iter().filter_map(|&(location, _)| found.get(location)?.as_ref());
            *named = of_part.filter(|found| is_named(found)).count();
        }
    }
}

/// For each mapping, the positions of the locations in it, and their lookup addresses.
fn inside(profile: &Profile) -> Vec<Vec<(usize, u64)>> {
    let mut inside = vec![Vec::new(); profile.mappings.len()];
    for (position, location) in profile.locations.iter().enumerate() {
        let (Some(address), Some(mapping)) = (location.address, location.mapping) else { continue };
        let address = address.lookup().get();
        if profile.mapping(mapping).is_some_and(|mapping| mapping.holds(address))
            && let Some(inside) = inside.get_mut(mapping.0 as usize)
        {
            inside.push((position, address));
        }
    }
    inside
}

impl Mapping {
    /// Some writers do not say where a mapping ends.
    fn holds(&self, address: u64) -> bool {
        self.limit == 0 || (self.start..self.limit).contains(&address)
    }
}

/// Whether a location is called by its place in the file, or not at all.
fn lacks_name(profile: &Profile, location: usize, mapping: &Mapping) -> bool {
    let lines = profile.locations.get(location).map(|location| location.lines.as_slice());
    match lines.unwrap_or_default() {
        [] => true,
        [Line { function, line: 0 }] => profile.function(*function).is_some_and(|function| {
            let offset = function.name.strip_prefix(mapping.module());
            function.file.is_empty() && offset.is_some_and(|offset| offset.starts_with("+0x"))
        }),
        _ => false,
    }
}

/// Puts what was found into the profile, and leaves functions out that nothing uses any more.
fn name(profile: &mut Profile, found: &[Option<Found>]) {
    let old = mem::take(&mut profile.functions);
    let mut functions = FunctionTable::default();
    let mut kept: Vec<Option<FunctionIndex>> = vec![None; old.len()];
    for (location, found) in profile.locations.iter_mut().zip(found) {
        let mapping = location.mapping.and_then(|mapping| profile.mappings.get_mut(mapping.0 as usize));
        let Location { lines, .. } = location;
        match (found, mapping) {
            (Some(found), Some(mapping)) if !found.frames.is_empty() => {
                *lines = functions.lines(&found.frames);
                mapping.symbols.add(&found.frames);
            }
            (Some(found), Some(mapping)) if lines.is_empty() => {
                lines.push(functions.line_called(name_of_offset(mapping.module(), found.address)));
            }
            _ => lines.retain_mut(|line| {
                let position = line.function.0 as usize;
                let (Some(function), Some(kept)) = (old.get(position), kept.get_mut(position)) else {
                    return false;
                };
                line.function = *kept.get_or_insert_with(|| functions.push(Function::clone(function)));
                true
            }),
        }
    }
    profile.functions = functions.into_functions();
}
