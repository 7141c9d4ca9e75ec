//! The modules of this process, by its memory map and by their headers in memory.
//!
//! Not by the loader's list: its lock may be held by another thread for long, and in a forked child for ever. The
//! kernel tells what is mapped without that, and reads memory that may be gone by then without a fault.

use std::fs::{self, File};
use std::os::unix::{ffi::OsStrExt, fs::FileExt};

use object::{Endianness, elf, pod};

use super::{LoadedMapping, build_id, hexadecimal};
use crate::Mapping;

/// Most bytes of a module's program headers, and of one segment of notes, that are read.
const MOST: u64 = 64 << 10;
const PAGE: u64 = 4096;

/// All executable segments, the main program's first; none where the kernel does not tell.
pub(super) fn read() -> Vec<LoadedMapping> {
    let (Ok(map), Ok(memory)) = (fs::read("/proc/self/maps"), File::open("/proc/self/mem")) else {
        return Vec::new();
    };
    let program = fs::read_link("/proc/self/exe").unwrap_or_default();
    let read_at = |address, bytes: &mut [u8]| memory.read_exact_at(bytes, address).ok();
    mappings(&map, program.as_os_str().as_bytes(), read_at)
}

fn mappings(
    map: &[u8],
    program: &[u8],
    read_at: impl Fn(u64, &mut [u8]) -> Option<()>,
) -> Vec<LoadedMapping> {
    let areas: Vec<Area<'_>> = map.split(|&byte| byte == b'\n').filter_map(Area::parse).collect();
    let process = Process { areas: &areas, read_at };
    let modules = areas.iter().filter(|area| area.begins_a_file()).filter_map(|area| process.module(area));
    let mut mappings: Vec<LoadedMapping> = modules.flat_map(|module| module.mappings(program)).collect();
    mappings.sort_by_key(|mapping| !mapping.main);
    mappings
}

/// A line of the map: `7f2a4000-7f2a6000 r-xp 00002000 08:01 1234   /usr/lib/libx.so`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Area<'a> {
    start: u64,
    end: u64,
    is_readable: bool,
    is_executable: bool,
    /// In the file, in bytes.
    offset: u64,
    /// As it stands there; empty for memory without a file.
    path: &'a [u8],
}

impl<'a> Area<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let mut rest = line;
        let mut field = || {
            let end = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
            let (field, behind) = rest.split_at(end);
            rest = behind.trim_ascii_start();
            field
        };
        let (addresses, rights, offset, _device, _file) = (field(), field(), field(), field(), field());
        let dash = addresses.iter().position(|&byte| byte == b'-')?;
        let &[read, _, execute, _] = rights else { return None };
        Some(Self {
            start: hexadecimal_number(addresses.get(..dash)?)?,
            end: hexadecimal_number(addresses.get(dash + 1..)?)?,
            is_readable: read == b'r',
            is_executable: execute == b'x',
            offset: hexadecimal_number(offset)?,
            path: rest,
        })
    }

    /// Whether a module may begin here.
    fn begins_a_file(&self) -> bool {
        self.is_readable && self.offset == 0 && (self.path.starts_with(b"/") || self.path == b"[vdso]")
    }

    /// Where the byte at this offset of its file is in memory.
    fn address_of(&self, offset: u64) -> Option<u64> {
        let address = self.start.checked_add(offset.checked_sub(self.offset)?)?;
        (address < self.end).then_some(address)
    }
}

fn hexadecimal_number(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// What is mapped, and a way to read it.
struct Process<'a, R> {
    areas: &'a [Area<'a>],
    /// Fills a buffer from an address on; none where that cannot be read.
    read_at: R,
}

/// A module that is loaded.
struct Module<'a> {
    path: &'a [u8],
    bias: u64,
    /// Those that are executable.
    segments: Vec<elf::ProgramHeader64<Endianness>>,
    build_id: Option<String>,
    endian: Endianness,
}

impl<'a, R: Fn(u64, &mut [u8]) -> Option<()>> Process<'a, R> {
    /// The module that begins at an area, if one does.
    fn module(&self, first: &Area<'a>) -> Option<Module<'a>> {
        let bytes = self.bytes(first.start, size_of::<elf::FileHeader64<Endianness>>() as u64)?;
        let (header, _) = pod::from_bytes::<elf::FileHeader64<Endianness>>(&bytes).ok()?;
        let ident = &header.e_ident;
        if ident.magic != elf::ELFMAG || ident.class != elf::ELFCLASS64 {
            return None;
        }
        let endian = if ident.data == elf::ELFDATA2LSB { Endianness::Little } else { Endianness::Big };
        let size =
            u64::from(header.e_phnum.get(endian)) * size_of::<elf::ProgramHeader64<Endianness>>() as u64;
        // Mostly right behind the file's header, but a tool may have put them elsewhere. Another mapping of the file,
        // which was made to read it, can go away at any moment.
        let of_file = self.areas.iter().filter(|area| area.path == first.path && area.is_readable);
        let of_module = std::iter::once(first).chain(of_file);
        let at = header.e_phoff.get(endian);
        let bytes = of_module.filter_map(|area| area.address_of(at)).find_map(|at| self.bytes(at, size))?;
        let headers = pod::slice_from_all_bytes::<elf::ProgramHeader64<Endianness>>(&bytes).ok()?;
        let loads = headers.iter().filter(|header| header.p_type.get(endian) == elf::PT_LOAD);
        let at_start = loads.clone().find(|load| load.p_offset.get(endian) < PAGE)?;
        let bias = first.start.wrapping_sub(at_start.p_vaddr.get(endian) & !(PAGE - 1));
        let is_code = |load: &&elf::ProgramHeader64<Endianness>| {
            load.p_flags.get(endian).contains(elf::PF_X) && load.p_memsz.get(endian) != 0
        };
        let segments: Vec<_> = loads.filter(is_code).copied().collect();
        let is_loaded = |segment: &elf::ProgramHeader64<Endianness>| {
            self.has_code_at(
                bias.wrapping_add(segment.p_vaddr.get(endian)),
                first.path,
                segment.p_offset.get(endian),
            )
        };
        // A file that was only mapped to be read looks like this, too.
        if !segments.iter().all(is_loaded) {
            return None;
        }
        let notes = headers.iter().filter(|header| header.p_type.get(endian) == elf::PT_NOTE);
        let build_id = notes.into_iter().find_map(|note| {
            let notes = self.bytes(bias.wrapping_add(note.p_vaddr.get(endian)), note.p_filesz.get(endian))?;
            build_id::find(&notes, note.p_align.get(endian)).map(hexadecimal)
        });
        Some(Module { path: first.path, bias, segments, build_id, endian })
    }

    /// Whether the code at an address is of this place in a file, or of none: some programs copy theirs to larger
    /// pages.
    fn has_code_at(&self, address: u64, path: &[u8], offset: u64) -> bool {
        let is_right = |area: &Area<'_>| {
            area.path.is_empty() || area.path == path && area.address_of(offset) == Some(address)
        };
        let at = self.areas.iter().find(|area| (area.start..area.end).contains(&address));
        at.is_some_and(|area| area.is_executable && is_right(area))
    }

    fn bytes(&self, address: u64, count: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(count).ok().filter(|_| count <= MOST)?];
        (self.read_at)(address, &mut bytes)?;
        Some(bytes)
    }
}

impl Module<'_> {
    fn mappings(self, program: &[u8]) -> impl Iterator<Item = LoadedMapping> {
        let Self { bias, build_id, endian, .. } = self;
        let main = self.path == program;
        let path = path(self.path);
        self.segments.into_iter().map(move |segment| {
            let start = bias.wrapping_add(segment.p_vaddr.get(endian));
            let mapping = Mapping {
                start,
                limit: start.saturating_add(segment.p_memsz.get(endian)),
                offset: segment.p_offset.get(endian),
                path: path.clone(),
                build_id: build_id.clone(),
                ..Mapping::default()
            };
            LoadedMapping { mapping, bias, main, recorded: None }
        })
    }
}

/// The path of a file as the map has it. The kernel marks one that was replaced or removed; the mark is no part of the
/// path.
fn path(text: &[u8]) -> String {
    let text = text.strip_suffix(b" (deleted)").unwrap_or(text);
    // The one byte that would end the line stands there in octal.
    String::from_utf8_lossy(text).replace("\\012", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line() {
        let line = b"7f2a4000-7f2a6000 r-xp 00002000 08:01 1234                       /usr/lib/lib x.so";
        let area = Area {
            start: 0x7f2a_4000,
            end: 0x7f2a_6000,
            is_readable: true,
            is_executable: true,
            offset: 0x2000,
            path: b"/usr/lib/lib x.so",
        };
        assert_eq!(Area::parse(line), Some(area));
        assert_eq!(area.address_of(0x2010), Some(0x7f2a_4010));
        assert_eq!([area.address_of(0x1fff), area.address_of(0x4000)], [None; 2]);
        let nameless = Area::parse(b"7f2a4000-7f2a6000 rw-p 00000000 00:00 0 ").unwrap();
        assert!(nameless.path.is_empty() && !nameless.is_executable && !nameless.begins_a_file());
        for line in
            ["", "7f2a4000", "7f2a4000-7f2a6000 r-xp", "x-7f2a6000 r-xp 0 08:01 1 /x", "1-2 r 0 08:01 1 /x"]
        {
            assert_eq!(Area::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn finds_the_program_first_and_libraries_with_their_build_ids() {
        let mappings = read();
        let here = finds_the_program_first_and_libraries_with_their_build_ids as *const () as u64;
        assert!(mappings[0].main && mappings[0].contains(here), "{mappings:?}");
        assert_eq!(mappings[0].mapping.path, std::env::current_exe().unwrap().to_str().unwrap());
        let libc = mappings.iter().find(|mapping| mapping.module().starts_with("libc")).unwrap();
        assert!(!libc.main && libc.mapping.build_id.as_ref().is_some_and(|id| id.len() == 40), "{libc:?}");
        assert!(mappings.windows(2).all(|two| two[0].mapping.start != two[1].mapping.start));
    }

    #[test]
    fn a_file_that_is_mapped_to_be_read_is_no_module() {
        let before = read();
        let file = File::open("/proc/self/exe").unwrap();
        // SAFETY: the file of a running program, which nobody can write to.
        #[allow(unsafe_code)]
        let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
        let starts = |mappings: &[LoadedMapping]| -> Vec<u64> {
            mappings.iter().map(|mapping| mapping.mapping.start).collect()
        };
        assert_eq!(starts(&read()), starts(&before));
        drop(map);
    }

    #[test]
    fn another_mapping_of_the_file_that_goes_away_takes_nothing_along() {
        let before = read();
        let program = &before[0].mapping.path;
        let map = fs::read("/proc/self/maps").unwrap();
        let memory = File::open("/proc/self/mem").unwrap();
        let gone = format!("00001000-00400000 r--p 00000000 08:01 1   {program}\n");
        let found = mappings(&[gone.as_bytes(), &map].concat(), program.as_bytes(), |address, bytes| {
            memory.read_exact_at(bytes, address).ok()
        });
        assert_eq!(found[0].mapping, before[0].mapping);
    }

    #[test]
    fn memory_that_is_gone_is_left_out() {
        let map = fs::read("/proc/self/maps").unwrap();
        assert!(mappings(&map, b"", |_, _| None).is_empty());
        // Headers that are none.
        let noise = |address: u64, bytes: &mut [u8]| {
            bytes.iter_mut().zip(address..).for_each(|(byte, at)| *byte = (at * 37) as u8);
            bytes.iter_mut().zip(*b"\x7fELF\x02\x01").for_each(|(byte, magic)| *byte = magic);
            Some(())
        };
        assert!(mappings(&map, b"", noise).is_empty());
    }

    #[test]
    fn a_path_is_without_the_kernel_s_marks() {
        assert_eq!(path(b"/tmp/a b (deleted)"), "/tmp/a b");
        assert_eq!(path(b"/tmp/a\\012b"), "/tmp/a\nb");
    }
}
