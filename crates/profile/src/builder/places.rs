use std::ops::Range;

use super::{ModuleIndex, RawFrame};
use crate::RecordedModule;
use crate::mappings::{LoadedMapping, MappingLookup};

/// Where a frame is: the position of its mapping, and its lookup address in that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) mapping: usize,
    pub(super) address: u64,
}

/// The mappings of a profile, and where its frames are in them.
///
/// Those of modules may share addresses with each other, and with what is loaded now: a frame that names its module is
/// looked for there and nowhere else.
pub(super) struct Places {
    /// What is loaded, then the modules that frames are in.
    pub(super) mappings: Vec<LoadedMapping>,
    /// By frame.
    pub(super) places: Vec<Option<Place>>,
}

impl Places {
    pub(super) fn new(
        frames: &[RawFrame],
        modules: &[RecordedModule],
        mut mappings: Vec<LoadedMapping>,
    ) -> Self {
        let recorded: Vec<Vec<LoadedMapping>> = used(frames, modules)
            .map(|module| module.map(|module| LoadedMapping::of(module).collect()).unwrap_or_default())
            .collect();
        // A module that is still loaded is there once.
        mappings.retain(|loaded| recorded.iter().flatten().all(|recorded| !recorded.is_same_as(loaded)));
        let lookup = MappingLookup::new(&mappings);
        let of_modules: Vec<Range<usize>> = recorded
            .into_iter()
            .map(|recorded| {
                let first = mappings.len();
                mappings.extend(recorded);
                first..mappings.len()
            })
            .collect();
        let in_module = |address: u64, ModuleIndex(module): ModuleIndex| {
            let range = of_modules.get(module as usize)?;
            let contains = |at: &usize| mappings.get(*at).is_some_and(|mapping| mapping.contains(address));
            range.clone().find(contains)
        };
        let place = |frame: &RawFrame| {
            let address = frame.address()?.lookup().get();
            let mapping = match *frame {
                RawFrame::Address(_) => lookup.find(address),
                RawFrame::InModule(_, module) => in_module(address, module),
                RawFrame::Unknown(_) | RawFrame::Marker(_) => None,
            }?;
            Some(Place { mapping, address: address.wrapping_sub(mappings.get(mapping)?.bias) })
        };
        let places = frames.iter().map(place).collect();
        Self { mappings, places }
    }
}

/// The modules that a frame is in; none in the place of one that is not used.
fn used<'a>(
    frames: &[RawFrame],
    modules: &'a [RecordedModule],
) -> impl Iterator<Item = Option<&'a RecordedModule>> {
    let mut is_used = vec![false; modules.len()];
    for frame in frames {
        if let RawFrame::InModule(_, ModuleIndex(module)) = *frame
            && let Some(is_used) = is_used.get_mut(module as usize)
        {
            *is_used = true;
        }
    }
    modules.iter().zip(is_used).map(|(module, is_used)| is_used.then_some(module))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mappings::CodeFile;
    use crate::{RecordedSegment, ReturnAddress};

    /// Of one page of code at 0x1000, in a library whose code is at 0x400 in its file.
    fn module(path: &str) -> RecordedModule {
        let segments = vec![RecordedSegment { addresses: 0x1000..0x2000, offset: 0x400, align: 0x1000 }];
        RecordedModule { path: path.to_owned(), bias: 0xc00, segments, ..RecordedModule::default() }
    }

    fn loaded(path: &str) -> LoadedMapping {
        let recorded = LoadedMapping::of(&module(path)).next().unwrap();
        LoadedMapping { file: CodeFile::Loaded, ..recorded }
    }

    fn paths(places: &Places) -> Vec<&str> {
        places.mappings.iter().map(|mapping| &*mapping.mapping.path).collect()
    }

    #[test]
    fn a_frame_is_in_its_own_module_whatever_is_loaded_there() {
        let address = ReturnAddress::new(0x1101);
        let frames = [
            RawFrame::InModule(address, ModuleIndex(0)),
            RawFrame::InModule(address, ModuleIndex(2)),
            RawFrame::Address(address),
            RawFrame::Unknown(address),
        ];
        let modules = ["a.so", "unused.so", "b.so"].map(module);
        let places = Places::new(&frames, &modules, vec![loaded("c.so")]);
        assert_eq!(paths(&places), ["c.so", "a.so", "b.so"]);
        let at = |mapping| Some(Place { mapping, address: 0x500 });
        assert_eq!(places.places, [at(1), at(2), at(0), None]);
    }

    #[test]
    fn a_module_that_is_still_loaded_is_there_once() {
        let inside = RawFrame::InModule(ReturnAddress::new(0x1101), ModuleIndex(0));
        let outside = RawFrame::InModule(ReturnAddress::new(0x2002), ModuleIndex(0));
        let places = Places::new(&[inside, outside], &[module("a.so")], vec![loaded("a.so")]);
        assert_eq!(paths(&places), ["a.so"]);
        assert!(matches!(places.mappings[0].file, CodeFile::Recorded(_)));
        assert_eq!(places.places, [Some(Place { mapping: 0, address: 0x500 }), None]);
        let rebuilt = RecordedModule { build_id: Some(vec![1]), ..module("a.so") };
        let places = Places::new(&[inside], &[rebuilt], vec![loaded("a.so")]);
        assert_eq!(paths(&places), ["a.so", "a.so"]);
    }
}
