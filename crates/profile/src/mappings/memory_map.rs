//! The modules of this process, by its memory map and by their headers in memory.
//!
//! Not by the loader's list: its lock may be held by another thread for long, and in a forked child for ever. The
//! kernel tells what is mapped without that, and reads memory that may be gone by then without a fault.

use std::fs::{self, File};
use std::os::unix::{ffi::OsStrExt, fs::FileExt};

use object::{Endianness, elf, pod};

use super::area::Area;
use super::auxiliary_vector::program_headers;
use super::{CodeFile, LoadedMapping, PAGE, build_id, hexadecimal, in_pages};
use crate::Mapping;

/// Most bytes of a module's program headers, and of one segment of notes, that are read.
const MOST: u64 = 64 << 10;

/// All executable segments, the main program's first; none where the kernel does not tell.
pub(super) fn read() -> Vec<LoadedMapping> {
    let (Ok(map), Ok(memory)) = (fs::read("/proc/self/maps"), File::open("/proc/self/mem")) else {
        return Vec::new();
    };
    let running = fs::read_link("/proc/self/exe").unwrap_or_default();
    let program = Program { running: running.as_os_str().as_bytes(), headers: program_headers() };
    let read_at = |address, bytes: &mut [u8]| memory.read_exact_at(bytes, address).ok();
    mappings(&map, program, read_at)
}

/// What tells the program from its libraries. The two are of one file, unless somebody has started the loader and told it
/// which program to load.
#[derive(Clone, Copy)]
struct Program<'a> {
    /// The file that the kernel started, as the map has it.
    running: &'a [u8],
    /// Where the program headers of the program are; zero where that is not known.
    headers: u64,
}

fn mappings(
    map: &[u8],
    program: Program<'_>,
    read_at: impl Fn(u64, &mut [u8]) -> Option<()>,
) -> Vec<LoadedMapping> {
    let areas: Vec<Area<'_>> = map.split(|&byte| byte == b'\n').filter_map(Area::parse).collect();
    let process = Process { areas: &areas, read_at };
    let modules = areas.iter().filter(|area| area.begins_a_file()).filter_map(|area| process.module(area));
    let mut mappings: Vec<LoadedMapping> = modules.flat_map(|module| module.mappings(program)).collect();
    if !mappings.iter().any(|mapping| mapping.main) {
        mappings.iter_mut().for_each(|mapping| mapping.main = mapping.file == CodeFile::Running);
    }
    mappings.sort_by_key(|mapping| !mapping.main);
    mappings
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
    /// Where its program headers are.
    headers: u64,
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
        let segments: Vec<_> = loads.clone().filter(is_code).copied().collect();
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
        // What is loaded of the headers: tools that read the file may have mapped it once more.
        let in_load = |load: &elf::ProgramHeader64<Endianness>| {
            let offset = at.checked_sub(load.p_offset.get(endian))?;
            (offset < load.p_filesz.get(endian))
                .then(|| bias.wrapping_add(load.p_vaddr.get(endian)).wrapping_add(offset))
        };
        let headers = loads.filter_map(in_load).next().unwrap_or_default();
        Some(Module { path: first.path, bias, headers, segments, build_id, endian })
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
    fn mappings(self, program: Program<'_>) -> impl Iterator<Item = LoadedMapping> {
        let Self { bias, build_id, endian, .. } = self;
        let is_running = self.path == program.running;
        let main = program.headers != 0 && self.headers == program.headers;
        let (path, is_replaced) = path_and_mark(self.path);
        let file = match build_id {
            _ if is_running => CodeFile::Running,
            None if is_replaced => CodeFile::Lost,
            _ => CodeFile::Loaded,
        };
        self.segments.into_iter().map(move |segment| {
            let start = bias.wrapping_add(segment.p_vaddr.get(endian));
            let code = start..start.saturating_add(segment.p_memsz.get(endian));
            let mapping = Mapping {
                path: path.clone(),
                build_id: build_id.clone(),
                ..in_pages(&code, segment.p_offset.get(endian), bias, segment.p_align.get(endian))
            };
            LoadedMapping { mapping, code, bias, main, file: file.clone() }
        })
    }
}

/// The path of a file as the map has it, and whether the kernel marks it as replaced or removed; the mark is no part of
/// the path.
fn path_and_mark(text: &[u8]) -> (String, bool) {
    let unmarked = text.strip_suffix(b" (deleted)");
    // The one byte that would end the line stands there in octal.
    let path = String::from_utf8_lossy(unmarked.unwrap_or(text)).replace("\\012", "\n");
    (path, unmarked.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_program_first_and_libraries_with_their_build_ids() {
        let mappings = read();
        let here = finds_the_program_first_and_libraries_with_their_build_ids as *const () as u64;
        assert!(mappings[0].main && mappings[0].contains(here), "{mappings:?}");
        assert_eq!(mappings[0].mapping.path, std::env::current_exe().unwrap().to_str().unwrap());
        let libc = mappings.iter().find(|mapping| mapping.mapping.module().starts_with("libc")).unwrap();
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
        let program = Program { running: program.as_bytes(), headers: 0 };
        let found = mappings(&[gone.as_bytes(), &map].concat(), program, |address, bytes| {
            memory.read_exact_at(bytes, address).ok()
        });
        assert_eq!(found[0].mapping, before[0].mapping);
    }

    #[test]
    fn memory_that_is_gone_is_left_out() {
        let map = fs::read("/proc/self/maps").unwrap();
        let program = Program { running: b"", headers: 0 };
        assert!(mappings(&map, program, |_, _| None).is_empty());
        // Headers that are none.
        let noise = |address: u64, bytes: &mut [u8]| {
            bytes.iter_mut().zip(address..).for_each(|(byte, at)| *byte = (at * 37) as u8);
            bytes.iter_mut().zip(*b"\x7fELF\x02\x01").for_each(|(byte, magic)| *byte = magic);
            Some(())
        };
        assert!(mappings(&map, program, noise).is_empty());
    }

    #[test]
    fn the_program_is_the_one_whose_headers_the_loader_tells() {
        let map = fs::read("/proc/self/maps").unwrap();
        let memory = File::open("/proc/self/mem").unwrap();
        let own = read().swap_remove(0).mapping;
        let of = |running: &str, headers| {
            mappings(&map, Program { running: running.as_bytes(), headers }, |address, bytes| {
                memory.read_exact_at(bytes, address).ok()
            })
        };
        // As it is when somebody starts the loader and tells it what to load: the kernel has started the loader.
        let loader =
            of("", 0).into_iter().find(|mapping| mapping.mapping.module().starts_with("ld-")).unwrap();
        let told = of(&loader.mapping.path, program_headers());
        assert!(told[0].main && told[0].mapping == own && told[0].file == CodeFile::Loaded, "{told:?}");
        let untold = of(&loader.mapping.path, 0);
        assert!(untold[0].main && untold[0].mapping == loader.mapping, "{untold:?}");
        assert_eq!(untold[0].file, CodeFile::Running);
        assert!(untold[1..].iter().all(|mapping| !mapping.main));
    }

    #[test]
    fn of_a_file_that_was_replaced_only_the_build_id_tells_another() {
        let map = String::from_utf8(fs::read("/proc/self/maps").unwrap()).unwrap();
        let memory = File::open("/proc/self/mem").unwrap();
        let own = read().swap_remove(0).mapping.path;
        let marked = map.replace(&own, &format!("{own} (deleted)"));
        let of = |notes: bool, running: &str| {
            let program = Program { running: running.as_bytes(), headers: program_headers() };
            let found = mappings(marked.as_bytes(), program, |address, bytes| {
                memory.read_exact_at(bytes, address).ok()?;
                // The note of the build id becomes one of another kind.
                let note = bytes.windows(8).position(|bytes| bytes == b"\x03\0\0\0GNU\0");
                if let Some(note) = note.filter(|_| !notes) {
                    bytes[note] = 0;
                }
                Some(())
            });
            (found[0].mapping.path == own, found[0].file.clone())
        };
        assert_eq!(of(false, ""), (true, CodeFile::Lost));
        assert_eq!(of(true, ""), (true, CodeFile::Loaded));
        assert_eq!(of(false, &format!("{own} (deleted)")), (true, CodeFile::Running));
    }

    #[test]
    fn a_path_is_without_the_kernel_s_marks() {
        assert_eq!(path_and_mark(b"/tmp/a b (deleted)"), ("/tmp/a b".to_owned(), true));
        assert_eq!(path_and_mark(b"/tmp/a\\012b"), ("/tmp/a\nb".to_owned(), false));
    }
}
