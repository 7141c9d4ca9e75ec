//! The code that is loaded in this process, read anew for each profile, and code that was loaded: libraries come and
//! go.

// A file may have lines of a map wherever it is read.
#[cfg_attr(not(all(target_os = "linux", target_pointer_width = "64")), allow(dead_code))]
pub(crate) mod area;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod auxiliary_vector;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) mod build_id;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod memory_map;

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub use build_id::find as find_build_id;

use std::ops::Range;

use crate::{FilePiece, Mapping, RecordedModule};

/// Size of the pages in which code is loaded.
pub(crate) const PAGE: u64 = 4096;

/// A mapping that this process has or had, and what it takes to find an address of it in its file.
#[derive(Clone, Debug)]
pub(crate) struct LoadedMapping {
    /// As the profile shows it.
    pub(crate) mapping: Mapping,
    /// Where the segment is in memory. It need not fill its first and last page; addresses are looked up here.
    pub(crate) code: Range<u64>,
    /// Difference between an address in memory and the virtual address in the file.
    pub(crate) bias: u64,
    /// Whether it belongs to the main program.
    pub(crate) main: bool,
    pub(crate) file: CodeFile,
}

/// How the file of a mapping is opened, and what makes it the right one where it has no build id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CodeFile {
    /// Through the kernel's own link, which still leads to the file that runs when another one has taken its name.
    Running,
    /// At its path: it is loaded.
    Loaded,
    /// At its path, if it holds these pieces: it was loaded, and can be gone.
    Recorded(Vec<FilePiece>),
    /// Nowhere: what is at its path now, if anything, is another file, and nothing could tell them apart.
    Lost,
}

impl LoadedMapping {
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.code.contains(&address)
    }

    /// Whether the other one is this code, at this place. A path can lead through links, so a build id says more.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let (code, offset) = (&self.code, self.mapping.offset);
        let is_there = *code == other.code && offset == other.mapping.offset;
        let (one, other) = (&self.mapping, &other.mapping);
        is_there && one.build_id == other.build_id && (one.build_id.is_some() || one.path == other.path)
    }

    /// Those of a recorded module.
    pub(crate) fn of(module: &RecordedModule) -> impl Iterator<Item = Self> + '_ {
        module.segments.iter().map(|segment| Self {
            mapping: Mapping {
                path: module.path.clone(),
                build_id: module.build_id.as_deref().map(hexadecimal),
                ..in_pages(&segment.addresses, segment.offset, module.bias, segment.align)
            },
            code: segment.addresses.clone(),
            bias: module.bias,
            main: false,
            file: CodeFile::Recorded(module.contents.clone()),
        })
    }
}

/// The mapping of a segment, which begins at `offset` in its file, is moved by `bias`, and is linked for pages of size `align`.
/// It is of whole pages, and as the kernel has mapped it if these are the system's.
///
/// `go tool pprof` takes the beginning of a mapping for that of such a page. It would move all addresses of a segment that
/// begins in the middle of one, if the mapping began there, too.
fn in_pages(segment: &Range<u64>, offset: u64, bias: u64, align: u64) -> Mapping {
    let page = if align.is_power_of_two() { align.max(PAGE) } else { PAGE };
    // What counts is how far address and offset are apart. A loader wants them at the same place of a page. The bias need
    // not be one of larger pages.
    let before = (segment.start.wrapping_sub(bias) % page).min(offset).min(segment.start);
    Mapping {
        start: segment.start - before,
        limit: segment.end.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX),
        offset: offset - before,
        ..Mapping::default()
    }
}

/// The executable segments, the main program's first.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn read() -> Vec<LoadedMapping> {
    memory_map::read()
}

/// Not known on this platform: profiles have addresses and no names.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(crate) fn read() -> Vec<LoadedMapping> {
    Vec::new()
}

/// A build id as profiles show it.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Finds the mapping of an address by binary search.
pub(crate) struct MappingLookup {
    /// Start, limit and position in the list, by start.
    ranges: Vec<(u64, u64, usize)>,
}

impl MappingLookup {
    pub(crate) fn new(mappings: &[LoadedMapping]) -> Self {
        let mut ranges: Vec<_> = mappings
            .iter()
            .enumerate()
            .map(|(position, loaded)| (loaded.code.start, loaded.code.end, position))
            .collect();
        ranges.sort_unstable();
        Self { ranges }
    }

    /// Position in the list of the mapping that contains `address`.
    pub(crate) fn find(&self, address: u64) -> Option<usize> {
        let after = self.ranges.partition_point(|&(start, _, _)| start <= address);
        let &(_, limit, position) = self.ranges.get(after.checked_sub(1)?)?;
        (address < limit).then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(start: u64, end: u64) -> LoadedMapping {
        let code = start..end;
        let mapping = Mapping { path: "/usr/lib/libx.so".to_owned(), ..in_pages(&code, start, 0, PAGE) };
        LoadedMapping { mapping, code, bias: 0, main: false, file: CodeFile::Loaded }
    }

    fn place(mapping: &Mapping) -> (u64, u64, u64) {
        (mapping.start, mapping.limit, mapping.offset)
    }

    #[test]
    fn a_mapping_is_of_whole_pages() {
        let of = |segment, offset, bias, align| place(&in_pages(&segment, offset, bias, align));
        let at = 0x7000_0000;
        let middle = at + 0x1_3348..at + 0x5_3348;
        assert_eq!(of(middle.clone(), 0x1_2348, at, PAGE), (at + 0x1_3000, at + 0x5_4000, 0x1_2000));
        assert_eq!(of(at + 0x1000..at + 0x2000, 0x1000, at, PAGE), (at + 0x1000, at + 0x2000, 0x1000));
        // Linked for pages of 64 KiB, and loaded at one of 4 KiB.
        let moved = at + 0x1000;
        let large = moved + 0x2_3348..moved + 0x5_3348;
        assert_eq!(of(large, 0x1_3348, moved, 0x1_0000), (moved + 0x2_0000, moved + 0x5_4000, 0x1_0000));
        // Headers that no loader would take.
        assert_eq!(of(middle, 0x1_2348, at, 0), (at + 0x1_3000, at + 0x5_4000, 0x1_2000));
        assert_eq!(of(at + 0x1348..u64::MAX, 0x48, at, 1 << 63), (at + 0x1300, u64::MAX, 0));
    }

    #[test]
    fn segments_that_share_a_page_are_told_apart() {
        let lookup =
            MappingLookup::new(&[loaded(0x1800, 0x2100), loaded(0x1000, 0x1700), loaded(0x2100, 0x2200)]);
        let found = [0x1000, 0x16ff, 0x1700, 0x1800, 0x20ff, 0x2100, 0x2200].map(|at| lookup.find(at));
        assert_eq!(found, [Some(1), Some(1), None, Some(0), Some(0), Some(2), None]);
        assert!(!loaded(0x1800, 0x1900).is_same_as(&loaded(0x1000, 0x1700)));
    }

    #[test]
    fn finds_the_mapping_of_an_address() {
        let lookup = MappingLookup::new(&[loaded(0x5000, 0x6000), loaded(0x1000, 0x2000)]);
        assert_eq!(lookup.find(0x0fff), None);
        assert_eq!(lookup.find(0x1000), Some(1));
        assert_eq!(lookup.find(0x1fff), Some(1));
        assert_eq!(lookup.find(0x2000), None);
        assert_eq!(lookup.find(0x5abc), Some(0));
        assert_eq!(lookup.find(u64::MAX), None);
    }

    #[test]
    fn writes_build_ids_in_lower_case() {
        assert_eq!(hexadecimal(&[0x0a, 0xBC, 0xff]), "0abcff");
    }

    #[test]
    fn names_a_module_by_its_file() {
        assert_eq!(loaded(0, 1).mapping.module(), "libx.so");
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    #[test]
    fn lists_this_program_first() {
        let mappings = read();
        let here = lists_this_program_first as *const () as u64;
        assert_eq!(MappingLookup::new(&mappings).find(here), Some(0));
        assert!(mappings[0].main && mappings.iter().filter(|loaded| loaded.main).count() >= 1);
        let own = std::env::current_exe().unwrap();
        assert_eq!(mappings[0].mapping.path, own.to_str().unwrap());
        assert!(mappings.iter().any(|loaded| loaded.mapping.module().starts_with("libc.so")));
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    #[test]
    fn agrees_with_the_kernel() {
        let map = std::fs::read("/proc/self/maps").unwrap();
        let areas: Vec<_> = map.split(|&byte| byte == b'\n').filter_map(area::Area::parse).collect();
        for LoadedMapping { mapping, .. } in
            read().iter().filter(|loaded| loaded.mapping.path.starts_with('/'))
        {
            let is_it = |area: &&area::Area<'_>| {
                area.is_executable && (area.start, area.end, area.offset) == place(mapping)
            };
            assert!(areas.iter().any(|area| is_it(&area)), "{mapping:?}");
        }
    }

    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    #[test]
    fn agrees_with_the_program_headers_of_the_file() {
        use object::{Object, ObjectSegment, SegmentFlags};

        let data = std::fs::read("/proc/self/exe").unwrap();
        let object = object::File::parse(&*data).unwrap();
        let executable =
            |flags| matches!(flags, SegmentFlags::Elf { p_flags, .. } if p_flags.contains(object::elf::PF_X));
        let expected: Vec<_> = object
            .segments()
            .filter(|segment| executable(segment.flags()))
            .map(|segment| (segment.address(), segment.size(), segment.file_range().0, segment.align()))
            .collect();
        let mappings = read();
        let own: Vec<_> = mappings.iter().filter(|loaded| loaded.main).collect();
        assert_eq!(own.len(), expected.len());
        for (LoadedMapping { mapping, code, bias, .. }, (address, size, offset, align)) in
            own.iter().zip(expected)
        {
            assert_eq!((code.start - bias, code.end - code.start), (address, size));
            // What readers take for the bias: google/pprof and others by the offset, `go tool pprof` by the page.
            let by_offset = mapping.start - mapping.offset + offset - address;
            let by_page = mapping.start - (address - address % align);
            assert_eq!((by_offset, by_page), (*bias, *bias));
        }
        let digits = |id: &[u8]| id.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(mappings[0].mapping.build_id, object.build_id().unwrap().map(digits));
    }
}
