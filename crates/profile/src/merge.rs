//! Several profiles as one.

mod metadata;

use std::collections::HashMap;
use std::sync::Arc;

use crate::{
    Amount, Function, FunctionIndex, Line, Location, LocationIndex, Mapping, MappingIndex, Profile,
    ReturnAddress, Sample,
};

impl Profile {
    /// Several profiles as one: of the processes of a service, or of one process at several times.
    ///
    /// Figures of equal stacks with equal tags are added up, as independent estimates; their slack, too, where it is known of all. Stacks are equal if their
    /// addresses are in the same code and have the same names: code is told by its build id, and where there is none by
    /// its path, so that it does not matter where a process has loaded it. The mapping of the first profile that
    /// has it stays.
    ///
    /// The merged profile starts with the earliest, and lasts as long as all of them together: that is what the allocated
    /// figures, which are added up as well, are to be divided by. Losses are added up. There is no session, and there are
    /// no live objects and no peak: what is live at several moments, or in several processes, has no common end. Where sample
    /// intervals or allocators differ, a comment says which there were, and the fields say that they are not known.
    ///
    /// ```
    /// use allometer_profile::{Amount, Estimate, Figures, Profile, Sample};
    ///
    /// let live = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(64.0) };
    /// let sample = Sample { figures: Figures { live, ..Figures::default() }, ..Sample::default() };
    /// let profile = Profile { samples: vec![sample], ..Profile::default() };
    /// let merged = Profile::merge([profile.clone(), profile]);
    /// assert_eq!((merged.samples.len(), merged.total().live.bytes.value), (1, 128.0));
    /// ```
    #[must_use]
    pub fn merge(profiles: impl IntoIterator<Item = Self>) -> Self {
        let mut merger = Merger::default();
        let mut metadata = Vec::new();
        for profile in profiles {
            metadata.push(profile.metadata.clone());
            merger.add(profile);
        }
        Self { metadata: metadata::merge(metadata), ..merger.merged }
    }
}

/// The merged profile while it grows, and where in its tables everything is. Texts and numbers can be a stranger's, so
/// the hashes are keyed.
#[derive(Default)]
struct Merger {
    merged: Profile,
    mappings: HashMap<Code, MappingIndex>,
    functions: HashMap<Function, FunctionIndex>,
    locations: HashMap<Location, LocationIndex>,
    samples: HashMap<(Vec<LocationIndex>, Option<Arc<str>>), usize>,
}

/// What makes two mappings the same code.
#[derive(PartialEq, Eq, Hash)]
enum Code {
    /// A segment of a file: its build id, or else its path.
    File { file: String, offset: u64, length: u64 },
    /// Code of no file that is known: only the same addresses are the same code.
    Nameless { start: u64, limit: u64 },
}

impl Code {
    fn of(mapping: &Mapping) -> Self {
        let Mapping { start, limit, offset, .. } = *mapping;
        match mapping.build_id.as_ref().unwrap_or(&mapping.path) {
            file if file.is_empty() => Self::Nameless { start, limit },
            file => Self::File { file: file.clone(), offset, length: limit.saturating_sub(start) },
        }
    }
}

impl Merger {
    fn add(&mut self, profile: Profile) {
        let Profile { mappings, functions, locations, samples, .. } = profile;
        let mappings: Vec<(MappingIndex, u64)> =
            mappings.into_iter().map(|mapping| self.mapping(mapping)).collect();
        let functions: Vec<FunctionIndex> =
            functions.into_iter().map(|function| self.function(function)).collect();
        let locations: Vec<LocationIndex> =
            locations.into_iter().map(|location| self.location(location, &mappings, &functions)).collect();
        for sample in samples {
            self.sample(sample, &locations);
        }
    }

    /// The mapping, and how far its addresses are from those in the merged profile.
    fn mapping(&mut self, mapping: Mapping) -> (MappingIndex, u64) {
        let start = mapping.start;
        let code = Code::of(&mapping);
        let index = *self.mappings.entry(code).or_insert_with(|| {
            self.merged.mappings.push(mapping.clone());
            MappingIndex((self.merged.mappings.len() - 1) as u32)
        });
        let Some(merged) = self.merged.mappings.get_mut(index.0 as usize) else { return (index, 0) };
        let (found, more) = (&mut merged.symbols, mapping.symbols);
        found.functions |= more.functions;
        found.files |= more.files;
        found.lines |= more.lines;
        found.inlines |= more.inlines;
        (index, merged.start.wrapping_sub(start))
    }

    fn function(&mut self, function: Function) -> FunctionIndex {
        if let Some(&index) = self.functions.get(&function) {
            return index;
        }
        let index = FunctionIndex(self.merged.functions.len() as u32);
        self.merged.functions.push(function.clone());
        self.functions.insert(function, index);
        index
    }

    fn location(
        &mut self,
        location: Location,
        mappings: &[(MappingIndex, u64)],
        functions: &[FunctionIndex],
    ) -> LocationIndex {
        let mapping = location.mapping.and_then(|index| mappings.get(index.0 as usize)).copied();
        let moved = |address: ReturnAddress| match mapping {
            Some((_, by)) => ReturnAddress::new(address.get().wrapping_add(by)),
            None => address,
        };
        let line =
            |line: &Line| Some(Line { function: *functions.get(line.function.0 as usize)?, line: line.line });
        let location = Location {
            address: location.address.map(moved),
            mapping: mapping.map(|(index, _)| index),
            lines: location.lines.iter().filter_map(line).collect(),
        };
        if let Some(&index) = self.locations.get(&location) {
            return index;
        }
        let index = LocationIndex(self.merged.locations.len() as u32);
        self.merged.locations.push(location.clone());
        self.locations.insert(location, index);
        index
    }

    fn sample(&mut self, sample: Sample, locations: &[LocationIndex]) {
        let stack: Vec<LocationIndex> =
            sample.stack.iter().filter_map(|index| locations.get(index.0 as usize).copied()).collect();
        let next = self.merged.samples.len();
        let position = *self.samples.entry((stack.clone(), sample.tag.clone())).or_insert(next);
        let sample = Sample { stack, live_objects: Vec::new(), peak: Amount::default(), ..sample };
        match self.merged.samples.get_mut(position) {
            Some(merged) => merged.merge(sample),
            None => self.merged.samples.push(sample),
        }
    }
}

#[cfg(test)]
mod tests;
