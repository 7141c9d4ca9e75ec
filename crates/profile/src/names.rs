use crate::limit::{Budget, Limit};
use crate::{Error, Line, Location, LocationIndex, Place, Profile};

/// How much the names at each location are, and how much of them the stacks may still have.
pub(crate) struct Names {
    locations: Vec<u64>,
    left: Budget,
}

impl Names {
    pub(crate) fn of(profile: &Profile) -> Self {
        let name = |line: &Line| profile.function(line.function).map_or(0, |function| function.name.len());
        let frame = |line: &Line| name(line) as u64 + FRAME;
        // What has no name is called by its file.
        let module = |location: &Location| {
            let mapping = location.mapping.and_then(|index| profile.mapping(index));
            mapping.map_or(0, |mapping| mapping.module().len() as u64) + FRAME
        };
        let location = |location: &Location| match &*location.lines {
            [] => module(location),
            lines => lines.iter().map(frame).sum(),
        };
        Self { locations: profile.locations.iter().map(location).collect(), left: Budget::new(Limit::Names) }
    }

    pub(crate) fn count(&self, stack: &[LocationIndex], place: Place) -> Result<(), Error> {
        let names = |index: &LocationIndex| self.locations.get(index.0 as usize);
        self.left.take(stack.iter().filter_map(names).fold(0, |sum, each| sum.saturating_add(*each)), place)
    }
}

/// What a frame counts beside its name.
const FRAME: u64 = 32;
