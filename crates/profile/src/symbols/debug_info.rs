use std::borrow::Cow;
use std::sync::Arc;

use addr2line::gimli::{DW_LANG_Rust, Dwarf, DwarfSections, EndianSlice, RunTimeEndian, SectionId};
use addr2line::{Context, Location};
use object::{Object, ObjectSection};

use super::crate_roots::CrateRoots;

type Slice<'data> = EndianSlice<'data, RunTimeEndian>;

/// The DWARF sections of a file: borrowed from it, or unpacked where they are compressed.
pub(super) struct DebugSections<'data> {
    sections: DwarfSections<Cow<'data, [u8]>>,
    endian: RunTimeEndian,
}

impl<'data> DebugSections<'data> {
    /// `None` when there is no debug information, or a section cannot be unpacked.
    pub(super) fn load(object: &object::File<'data>) -> Option<Self> {
        object.section_by_name(SectionId::DebugInfo.name())?;
        let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: SectionId| {
            if !is_used(id) {
                return Ok(Cow::default());
            }
            object
                .section_by_name(id.name())
                .map_or(Ok(Cow::default()), |section| section.uncompressed_data())
        };
        let sections = DwarfSections::load(load).ok()?;
        Some(Self { sections, endian })
    }
}

/// Whether finding a function or a line takes this section. The others (variables, types, macros) are as large,
/// and would have to be unpacked when compressed.
fn is_used(id: SectionId) -> bool {
    matches!(
        id,
        SectionId::DebugAbbrev
            | SectionId::DebugAddr
            | SectionId::DebugAranges
            | SectionId::DebugInfo
            | SectionId::DebugLine
            | SectionId::DebugLineStr
            | SectionId::DebugStr
            | SectionId::DebugStrOffsets
            | SectionId::DebugRanges
            | SectionId::DebugRngLists
    )
}

/// The debug information of a file, parsed as far as it is asked for.
pub(super) struct DebugInfo<'data> {
    context: Context<Slice<'data>>,
    dwarf: Arc<Dwarf<Slice<'data>>>,
}

/// A function as the debug information has it.
pub(super) struct DebugFrame {
    /// The linkage name where there is one, else the short name.
    pub(super) name: Option<String>,
    /// Whether its unit was compiled from Rust.
    pub(super) rust: bool,
    pub(super) file: Option<String>,
    /// 0 when not known.
    pub(super) line: u32,
}

impl<'data> DebugInfo<'data> {
    /// `None` when the sections are malformed.
    pub(super) fn parse(sections: &'data DebugSections<'_>) -> Option<Self> {
        let dwarf = Arc::new(sections.sections.borrow(|section| Slice::new(section, sections.endian)));
        let context = Context::from_arc_dwarf(dwarf.clone()).ok()?;
        Some(Self { context, dwarf })
    }

    /// The functions at a virtual address, innermost first. What is malformed ends the chain, or leaves it
    /// empty.
    pub(super) fn frames(&self, address: u64) -> Vec<DebugFrame> {
        let mut frames = Vec::new();
        // Split debug information stays where it is: its files belong to the build, not to the program.
        let Ok(mut found) = self.context.find_frames(address).skip_all_loads() else { return frames };
        while let Ok(Some(frame)) = found.next() {
            let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
            frames.push(DebugFrame {
                name: name.map(Cow::into_owned),
                rust: frame.function.as_ref().is_some_and(|function| function.language == Some(DW_LANG_Rust)),
                file: frame.location.as_ref().and_then(|at: &Location<'_>| at.file).map(str::to_owned),
                line: frame.location.as_ref().and_then(|at| at.line).unwrap_or(0),
            });
        }
        frames
    }

    /// The crates that the units were compiled from. Reads the head of each unit.
    pub(super) fn crate_roots(&self) -> CrateRoots {
        let mut roots = CrateRoots::default();
        let mut headers = self.dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            let Ok(unit) = self.dwarf.unit(header) else { continue };
            let (Some(name), Some(folder)) = (unit.name, unit.comp_dir) else { continue };
            roots.add_unit(&folder.to_string_lossy(), &name.to_string_lossy());
        }
        roots
    }
}
