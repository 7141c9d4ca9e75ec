mod places;

use rustc_hash::FxHashMap;

use places::{Place, Places};

use crate::function_table::{FunctionTable, name_of_offset};
use crate::mappings::{self, LoadedMapping};
use crate::symbols::{Frame, Frames, Symbolizer};
use crate::{
    Figures, Location, LocationIndex, MappingIndex, Metadata, Profile, RecordedModule, ReturnAddress, Sample,
};

/// One entry of a stack as it was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawFrame {
    /// A return address in code that was loaded when it was captured, and still is.
    Address(ReturnAddress),
    /// A return address in a module that may be gone, one of [`ProfileBuilder::add_module`].
    InModule(ReturnAddress, ModuleIndex),
    /// A return address in code of which nothing is known; it is not named by what is loaded there now.
    Unknown(ReturnAddress),
    /// Something that is no code, shown by this name: `[truncated]`, `[site table full]`.
    Marker(&'static str),
}

/// A module of [`ProfileBuilder::add_module`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleIndex(u32);

impl RawFrame {
    fn address(self) -> Option<ReturnAddress> {
        match self {
            Self::Address(address) | Self::InModule(address, _) | Self::Unknown(address) => Some(address),
            Self::Marker(_) => None,
        }
    }
}

/// Builds a profile of this process from stacks of return addresses.
///
/// ```
/// use allometer_profile::{Amount, Estimate, Figures, Metadata, ProfileBuilder, RawFrame, Symbolizer};
///
/// let mut builder = ProfileBuilder::new(Metadata { sample_interval: 1, live: true, ..Metadata::default() });
/// let one_page = Amount { objects: Estimate::exact(1.0), bytes: Estimate::exact(4096.0) };
/// builder.add([RawFrame::Marker("[somewhere]")], Figures { alloc: one_page, live: one_page });
///
/// let profile = builder.finish(&mut Symbolizer::new());
/// assert_eq!(profile.total().live.bytes.value, 4096.0);
/// # let file = std::env::temp_dir().join(format!("allometer-doc-{}.pb.gz", std::process::id()));
/// std::fs::write(&file, profile.to_pprof_gzip())?;
/// # std::fs::remove_file(&file)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ProfileBuilder {
    metadata: Metadata,
    modules: Vec<RecordedModule>,
    /// Distinct frames, in the order in which they were first seen; their positions are those of locations.
    frames: Vec<RawFrame>,
    positions: FxHashMap<RawFrame, LocationIndex>,
    samples: Vec<Sample>,
}

impl ProfileBuilder {
    /// A builder without samples.
    pub fn new(metadata: Metadata) -> Self {
        Self {
            metadata,
            modules: Vec::new(),
            frames: Vec::new(),
            positions: FxHashMap::default(),
            samples: Vec::new(),
        }
    }

    /// Adds a stack, leaf first, and what it stands for. A stack that comes twice makes two samples. A return
    /// address of zero, with which some unwinders end a stack, is no frame and is left out.
    ///
    /// The answer is the new sample; its tables are filled by [`ProfileBuilder::finish`].
    pub fn add(&mut self, stack: impl IntoIterator<Item = RawFrame>, figures: Figures) -> &mut Sample {
        let frames = stack.into_iter().filter(|frame| frame.address() != Some(ReturnAddress::new(0)));
        // A filter does not know how much it leaves, but how much it can be.
        let mut stack = Vec::with_capacity(frames.size_hint().1.unwrap_or_default());
        stack.extend(frames.map(|frame| self.intern(frame)));
        self.samples.push(Sample { stack, figures, ..Sample::default() });
        let last = self.samples.len() - 1;
        &mut self.samples[last]
    }

    /// Adds a module that stacks go through. The profile has it if one does.
    pub fn add_module(&mut self, module: RecordedModule) -> ModuleIndex {
        self.modules.push(module);
        // As with frames.
        ModuleIndex((self.modules.len() - 1) as u32)
    }

    fn intern(&mut self, frame: RawFrame) -> LocationIndex {
        // More than u32::MAX distinct frames would not fit into memory before this could wrap.
        *self.positions.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            LocationIndex((self.frames.len() - 1) as u32)
        })
    }

    /// Reads which code is loaded in this process, finds the names of all addresses, as far as the symbolizer does, and
    /// gives the profile. What started the program, or a thread, is left out at the root of each stack: its first
    /// function is `main`, or what a thread runs; at the leaf those of [`Metadata::left_out_at_leaf`] are.
    ///
    /// Code that was unloaded before this call has no names, unless it is of a [`RecordedModule`] whose file is still
    /// there; its addresses stay. This allocates, opens files and takes its time: not for a place that must not
    /// wait.
    pub fn finish(self, symbolizer: &mut Symbolizer) -> Profile {
        let Places { mappings: loaded, places } = Places::new(&self.frames, &self.modules, mappings::read());
        let resolved = resolve(symbolizer, &loaded, &places);
        let mut profile = Profile {
            metadata: self.metadata,
            mappings: loaded.iter().map(|loaded| loaded.mapping.clone()).collect(),
            samples: self.samples,
            ..Profile::default()
        };
        let mut functions = FunctionTable::default();
        for ((frame, place), frames) in self.frames.iter().zip(places).zip(resolved) {
            add_location(&mut profile, &mut functions, *frame, place, &frames);
        }
        profile.functions = functions.into_functions();
        profile.leave_out_by_name();
        profile
    }
}

/// Asks mapping by mapping, so that only one file is open at a time. Answers in the order of `places`.
fn resolve(symbolizer: &mut Symbolizer, loaded: &[LoadedMapping], places: &[Option<Place>]) -> Vec<Frames> {
    let mut resolved = vec![Frames::default(); places.len()];
    for (position, mapping) in loaded.iter().enumerate() {
        let inside = places.iter().zip(&mut resolved).filter_map(|(place, frames)| match place {
            Some(place) if place.mapping == position => Some((place.address, frames)),
            _ => None,
        });
        let (addresses, targets): (Vec<u64>, Vec<&mut Frames>) = inside.unzip();
        if addresses.is_empty() {
            continue;
        }
        for (target, frames) in targets.into_iter().zip(symbolizer.resolve(mapping, &addresses)) {
            *target = frames;
        }
    }
    resolved
}

fn add_location(
    profile: &mut Profile,
    functions: &mut FunctionTable,
    frame: RawFrame,
    place: Option<Place>,
    frames: &[Frame],
) {
    let mut lines = functions.lines(frames);
    let mapping = place.as_ref().and_then(|place| profile.mappings.get_mut(place.mapping));
    if lines.is_empty() {
        lines.push(functions.line_called(match (frame, &mapping, &place) {
            (RawFrame::Marker(name), ..) => name.to_owned(),
            (_, Some(mapping), Some(place)) => name_of_offset(mapping.module(), place.address),
            _ => "[no module]".to_owned(),
        }));
    }
    if let Some(mapping) = mapping {
        mapping.symbols.add(frames);
    }
    let mapping = place.map(|place| MappingIndex(place.mapping as u32));
    profile.locations.push(Location { address: frame.address(), mapping, lines });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finish(stacks: &[&[RawFrame]]) -> Profile {
        let mut builder = ProfileBuilder::new(Metadata::default());
        for stack in stacks {
            builder.add(stack.iter().copied(), Figures::default());
        }
        builder.finish(&mut Symbolizer::new())
    }

    fn name(profile: &Profile, location: u32) -> &str {
        let line = profile.location(LocationIndex(location)).unwrap().lines.last().unwrap();
        &profile.function(line.function).unwrap().name
    }

    #[test]
    fn equal_frames_are_one_location() {
        let marker = RawFrame::Marker("[truncated]");
        let address = RawFrame::Address(ReturnAddress::new(0x10));
        let profile = finish(&[&[address, marker], &[address, address]]);
        assert_eq!(profile.locations.len(), 2);
        let stacks: Vec<_> = profile.samples.iter().map(|sample| sample.stack.clone()).collect();
        assert_eq!(stacks, [[LocationIndex(0), LocationIndex(1)], [LocationIndex(0), LocationIndex(0)]]);
    }

    #[test]
    fn what_is_no_code_has_a_name_and_no_mapping() {
        let [zero, nowhere] = [0, 0x10].map(|address| RawFrame::Address(ReturnAddress::new(address)));
        let profile = finish(&[&[nowhere, RawFrame::Marker("[truncated]"), zero]]);
        assert_eq!(profile.locations.len(), 2);
        assert_eq!(name(&profile, 0), "[no module]");
        assert_eq!(name(&profile, 1), "[truncated]");
        assert_eq!(profile.locations[1].address, None);
        assert!(profile.locations.iter().all(|location| location.mapping.is_none()));
        assert!(profile.mappings.iter().all(|mapping| !mapping.symbols.functions));
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    #[test]
    fn code_without_symbols_is_named_by_its_module() {
        let mappings = mappings::read();
        // The vdso has a mapping and no file.
        let Some(vdso) = mappings.iter().find(|loaded| loaded.mapping.module().contains("vdso")) else {
            return;
        };
        let address = RawFrame::Address(ReturnAddress::new(vdso.code.start + 0x11));
        let profile = finish(&[&[address]]);
        let offset = vdso.code.start + 0x10 - vdso.bias;
        assert_eq!(name(&profile, 0), format!("{}+{offset:#x}", vdso.mapping.module()));
        assert!(profile.mappings.iter().all(|mapping| !mapping.symbols.functions));
    }
}
