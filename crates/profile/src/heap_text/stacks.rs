use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};

use super::lines::Line;
use crate::limit::Budget;
use crate::names::Names;
use crate::{
    Error, Figures, Location, LocationIndex, Mapping, MappingIndex, Metadata, Place, Profile, ReturnAddress,
    Sample,
};

/// What a sample takes of memory beside its stack, and a location, in lists that grow by doubling; both with their entry in
/// the table of stacks and of addresses.
const SAMPLE: u64 =
    3 * (size_of::<Sample>() + size_of::<Place>() + size_of::<(Vec<u32>, usize)>()) as u64 + 64;
const LOCATION: u64 = 3 * size_of::<Location>() as u64 + 64;

/// The stacks that were read, and the addresses that they are made of.
pub(super) struct Stacks<'memory> {
    memory: &'memory Budget,
    /// Sorted, since a stranger could choose addresses that all meet in one place of a hash table.
    positions: BTreeMap<u64, LocationIndex>,
    locations: Vec<Location>,
    samples: Vec<Sample>,
    /// The samples by their stacks. The hashes are keyed, for the same reason.
    by_stack: HashMap<Vec<LocationIndex>, usize>,
    /// Where each of the samples is in the text, the first time.
    places: Vec<Place>,
}

impl<'memory> Stacks<'memory> {
    pub(super) fn new(memory: &'memory Budget) -> Self {
        Self {
            memory,
            positions: BTreeMap::new(),
            locations: Vec::new(),
            samples: Vec::new(),
            by_stack: HashMap::new(),
            places: Vec::new(),
        }
    }

    /// Adds the stack of a line. Zero, with which some unwinders end a stack, is no address, and there is no call in
    /// front of one.
    ///
    /// Equal stacks are one sample: gperftools writes a line for each object that it has sampled, and what each of them
    /// stands for is a small number with a fraction, which must not be rounded by itself.
    pub(super) fn add(&mut self, line: Line<'_>, addresses: &[u64], figures: Figures) -> Result<(), Error> {
        let place = line.place();
        let mut stack = Vec::with_capacity(addresses.len());
        for &address in addresses.iter().filter(|&&address| address > 1) {
            stack.push(self.location(address, place)?);
        }
        let next = self.samples.len();
        match self.by_stack.entry(stack) {
            Entry::Occupied(known) => {
                if let Some(sample) = self.samples.get_mut(*known.get()) {
                    sample.figures += figures;
                }
            }
            Entry::Vacant(new) => {
                let stack = new.key().clone();
                self.memory.take(SAMPLE + 2 * (stack.len() * size_of::<LocationIndex>()) as u64, place)?;
                self.samples.push(Sample { stack, figures, ..Sample::default() });
                self.places.push(place);
                new.insert(next);
            }
        }
        Ok(())
    }

    fn location(&mut self, address: u64, place: Place) -> Result<LocationIndex, Error> {
        if let Some(&index) = self.positions.get(&address) {
            return Ok(index);
        }
        self.memory.take(LOCATION, place)?;
        // The memory for more than so many is not there.
        let index = LocationIndex(self.locations.len() as u32);
        self.positions.insert(address, index);
        self.locations.push(Location { address: Some(ReturnAddress::new(address)), ..Location::default() });
        Ok(index)
    }

    pub(super) fn into_profile(self, metadata: Metadata, mappings: Vec<Mapping>) -> Result<Profile, Error> {
        let mut locations = self.locations;
        let mut starts: Vec<(u64, u32)> = mappings.iter().map(|mapping| mapping.start).zip(0..).collect();
        starts.sort_unstable();
        for location in &mut locations {
            let Some(address) = location.address else { continue };
            let address = address.lookup().get();
            let behind = starts.partition_point(|&(start, _)| start <= address);
            let before = behind.checked_sub(1).and_then(|last| starts.get(last));
            location.mapping = before.map(|&(_, index)| MappingIndex(index)).filter(|index| {
                mappings.get(index.0 as usize).is_some_and(|mapping| address < mapping.limit)
            });
        }
        let profile = Profile { metadata, mappings, locations, samples: self.samples, ..Profile::default() };
        let names = Names::of(&profile);
        for (sample, &place) in profile.samples.iter().zip(&self.places) {
            names.count(&sample.stack, place)?;
        }
        Ok(profile)
    }
}
