use std::borrow::Cow;
use std::sync::Arc;

use addr2line::gimli::{DW_LANG_Rust, Dwarf, DwarfSections, EndianSlice, RunTimeEndian, SectionId};
use addr2line::{Context, Location};
use object::{Object, ObjectSection, ReadRef};

use super::crate_roots::CrateRoots;

type Slice<'data> = EndianSlice<'data, RunTimeEndian>;

/// The DWARF sections of a file: borrowed from it, or unpacked where they are compressed.
pub(super) struct DebugSections<'data> {
    sections: DwarfSections<Cow<'data, [u8]>>,
    endian: RunTimeEndian,
}

impl<'data> DebugSections<'data> {
    /// `None` when there is no debug information, or a section cannot be unpacked.
    pub(super) fn load<R: ReadRef<'data>>(object: &object::File<'data, R>) -> Option<Self> {
        object.section_by_name(SectionId::DebugInfo.name())?;
        let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let load = |id: SectionId| match object.section_by_name(id.name()).filter(|_| is_used(id)) {
            Some(section) => contents(&section).ok_or(()),
            None => Ok(Cow::default()),
        };
        let sections = DwarfSections::load(load).ok()?;
        Some(Self { sections, endian })
    }
}

/// Bytes of debug information that one compressed byte can stand for. What linkers write stays below twenty.
const MOST_UNPACKED: u64 = 256;

/// The contents of a section; `None` when it cannot be unpacked, or says that it takes more than it can have.
fn contents<'data, R: ReadRef<'data>>(section: &object::Section<'data, '_, R>) -> Option<Cow<'data, [u8]>> {
    let stored = section.compressed_data().ok()?;
    // Memory of the size that the section states is asked for at once.
    is_possible(stored.uncompressed_size, stored.data.len()).then(|| stored.decompress().ok())?
}

fn is_possible(unpacked: u64, stored: usize) -> bool {
    unpacked <= (stored as u64).saturating_mul(MOST_UNPACKED)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A 64-bit ELF file whose one section, `.debug_info`, says that it takes so many bytes once it is unpacked.
    fn file(unpacked: u64, packed: &[u8]) -> Vec<u8> {
        let names = b"\0.debug_info\0";
        let (names_at, data_at) = (64u64, 64 + 16);
        let data_length = 24 + packed.len() as u64;
        let sections_at = (data_at + data_length).next_multiple_of(8);
        let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        file.extend(words(&[0, 0, sections_at]));
        // Flags, sizes and numbers of headers; the names are in section 2.
        file.extend([0, 0, 0, 0, 64, 0, 56, 0, 0, 0, 64, 0, 3, 0, 2, 0]);
        file.extend(names);
        file.resize(data_at as usize, 0);
        // ELFCOMPRESS_ZLIB.
        file.extend(words(&[1, unpacked, 1]));
        file.extend(packed);
        file.resize(sections_at as usize + 64, 0);
        // Name and type (contents, texts), flags (SHF_COMPRESSED), address, place, length, and what does not matter.
        file.extend(words(&[1 | 1 << 32, 1 << 11, 0, data_at, data_length, 0, 1, 0]));
        file.extend(words(&[3 << 32, 0, 0, names_at, names.len() as u64, 0, 1, 0]));
        file
    }

    #[test]
    fn a_section_states_no_more_than_it_can_hold() {
        let of = |unpacked, packed: &[u8]| {
            let file = file(unpacked, packed);
            let object = object::File::parse(&*file).unwrap();
            contents(&object.section_by_name(".debug_info").unwrap()).map(Cow::into_owned)
        };
        // Three bytes, stored.
        let packed = [0x78, 1, 1, 3, 0, 0xfc, 0xff, 7, 8, 9, 0, 0x31, 0, 0x19];
        assert_eq!(of(3, &packed).as_deref(), Some(&[7, 8, 9][..]));
        assert_eq!(of(4, &packed), None);
        assert_eq!(of(1 << 60, &packed), None);
        // Half a gibibyte would be reserved before the first byte of it was unpacked.
        assert!(!is_possible(512 << 20, packed.len()) && is_possible(3, packed.len()));
    }
}
