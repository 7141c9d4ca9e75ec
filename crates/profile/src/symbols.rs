//! From addresses to names, files and lines, inlined functions included. See docs/symbols.md.

pub(crate) mod crate_roots;
mod debug_info;
pub(crate) mod found_file;
pub(crate) mod name;
pub(crate) mod object_file;
pub(crate) mod segments;
mod symbol_table;

use std::path::Path;
use std::sync::Arc;

use object::ReadRef;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Symbolization;
use crate::mappings::LoadedMapping;
use found_file::{FoundFile, Version};

/// Finds the names of addresses, as far as its [`Symbolization`] says, and remembers them for the next profile.
///
/// It is an ordinary value without a lock: whoever makes profiles keeps one, or makes one each time. The
/// files of the program are only open and mapped while a profile is being finished, and one at a time (that of a
/// [`RecordedModule`](crate::RecordedModule) is copied into memory instead, for as long, and of one that was found
/// for [`Symbolizer::symbolize`] so much as is looked at); what
/// stays between two profiles is the names of up to 16 384 addresses, those of the last profile first: some
/// 200 bytes each. Dropping it gives all of that back.
#[derive(Debug, Default)]
pub struct Symbolizer {
    symbolization: Symbolization,
    modules: FxHashMap<Module, FxHashMap<u64, Frames>>,
    /// How many addresses `modules` holds.
    kept: usize,
    texts: FxHashSet<Arc<str>>,
}

/// Most addresses that are kept.
const MAX_KEPT: usize = 1 << 14;

/// The functions at an address, innermost first; empty when nothing is known of it.
pub(crate) type Frames = Arc<[Frame]>;

/// A function, inlined or not, and the line in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Demangled, with a path.
    pub(crate) name: Arc<str>,
    /// As the compiler wrote it.
    pub(crate) system_name: Arc<str>,
    /// Empty when not known.
    pub(crate) file: Arc<str>,
    /// 0 when not known.
    pub(crate) line: u32,
}

/// What must be the same for an address in a file to have the same name.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Module {
    path: String,
    build_id: Option<String>,
    /// Of a file that was found. One build id does not mean one file here: there is the program as it was built, the
    /// one without its symbols, and the file of its debug information.
    found: Option<Version>,
}

impl Symbolizer {
    /// A symbolizer that finds all that is known of an address. It knows nothing yet and opens no file.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that finds so much.
    pub fn with(symbolization: Symbolization) -> Self {
        Self { symbolization, ..Self::default() }
    }

    /// How much it finds.
    pub fn symbolization(&self) -> Symbolization {
        self.symbolization
    }

    /// The functions at `addresses`, which are virtual addresses in the file of `loaded`, in the same order.
    pub(crate) fn resolve(&mut self, loaded: &LoadedMapping, addresses: &[u64]) -> Vec<Frames> {
        let mapping = &loaded.mapping;
        let module = Module { path: mapping.path.clone(), build_id: mapping.build_id.clone(), found: None };
        // A library without a build id may be another file the next time that something is loaded from its
        // path, so its names are not kept.
        let is_told_apart = loaded.main || module.build_id.is_some();
        let symbolization = self.symbolization;
        self.ask(module, is_told_apart, addresses, |unknown| {
            object_file::resolve(loaded, symbolization, unknown)
        })
    }

    /// The same in an object that was found.
    pub(crate) fn resolve_found<'data, R: ReadRef<'data>>(
        &mut self,
        path: &Path,
        file: &FoundFile,
        object: &object::File<'data, R>,
        addresses: &[u64],
    ) -> Vec<Frames> {
        let module = Module {
            path: path.to_string_lossy().into_owned(),
            build_id: object_file::build_id(object),
            found: Some(file.version()),
        };
        let symbolization = self.symbolization;
        self.ask(module, true, addresses, |unknown| object_file::resolve_in(object, symbolization, unknown))
    }

    /// What is known of a module, and what `look_up` answers for the rest: sorted, without repetitions.
    fn ask(
        &mut self,
        module: Module,
        is_told_apart: bool,
        addresses: &[u64],
        look_up: impl FnOnce(&[u64]) -> Vec<Vec<FoundFrame>>,
    ) -> Vec<Frames> {
        if self.symbolization == Symbolization::None {
            return vec![Frames::default(); addresses.len()];
        }
        let mut known = self.modules.remove(&module).unwrap_or_default();
        self.kept -= known.len();
        let mut unknown: Vec<u64> =
            addresses.iter().copied().filter(|address| !known.contains_key(address)).collect();
        unknown.sort_unstable();
        unknown.dedup();
        if !unknown.is_empty() {
            let found = look_up(&unknown);
            for (address, frames) in unknown.into_iter().zip(found) {
                let frames = frames.into_iter().map(|frame| self.frame(frame)).collect();
                known.insert(address, frames);
            }
        }
        let frames =
            addresses.iter().map(|address| known.get(address).cloned().unwrap_or_default()).collect();
        if is_told_apart {
            self.keep(module, known, addresses);
        }
        frames
    }

    /// Keeps what is `known` of a module, as far as the bound allows: the addresses of `last` first.
    fn keep(&mut self, module: Module, mut known: FxHashMap<u64, Frames>, last: &[u64]) {
        let room = MAX_KEPT.saturating_sub(self.kept);
        if known.len() > room {
            known = last.iter().filter_map(|address| known.remove_entry(address)).take(room).collect();
            self.texts.retain(|text| Arc::strong_count(text) > 1);
        }
        self.kept += known.len();
        self.modules.insert(module, known);
    }

    fn frame(&mut self, found: FoundFrame) -> Frame {
        let system_name = self.text(found.system_name.as_deref().unwrap_or(&found.name));
        Frame {
            name: self.text(&found.name),
            system_name,
            file: self.text(found.file.as_deref().unwrap_or_default()),
            line: found.line,
        }
    }

    /// One copy of each text: the same names and files come up again and again.
    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(text) = self.texts.get(text) {
            return text.clone();
        }
        let text: Arc<str> = text.into();
        self.texts.insert(text.clone());
        text
    }
}

/// A function as it was found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundFrame {
    name: String,
    /// Where it differs from the name.
    system_name: Option<String>,
    file: Option<String>,
    line: u32,
}

#[cfg(all(test, target_os = "linux", target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::FilePiece;
    use crate::mappings::CodeFile;

    fn own_code() -> (LoadedMapping, u64) {
        let loaded = crate::mappings::read().swap_remove(0);
        let address = own_code as *const () as u64 - loaded.bias;
        (loaded, address)
    }

    #[test]
    fn names_a_function_of_this_program() {
        let (loaded, address) = own_code();
        let frames = Symbolizer::new().resolve(&loaded, &[address]);
        let [frame] = &*frames[0] else { panic!("one function, not {frames:?}") };
        assert_eq!(&*frame.name, "allometer_profile::symbols::tests::own_code");
        assert_ne!(frame.name, frame.system_name);
        assert!(frame.file.ends_with("src/symbols.rs") && frame.line > 100, "{frame:?}");
    }

    #[test]
    fn answers_in_the_order_of_the_question_and_remembers() {
        let (loaded, address) = own_code();
        let mut symbolizer = Symbolizer::new();
        let nowhere = u64::MAX - 1;
        let first = symbolizer.resolve(&loaded, &[nowhere, address, address]);
        assert!(first[0].is_empty() && Arc::ptr_eq(&first[1], &first[2]));
        let second = symbolizer.resolve(&loaded, &[address]);
        assert!(Arc::ptr_eq(&first[1], &second[0]));
    }

    #[test]
    fn keeps_so_many_addresses_and_the_last_ones_first() {
        let (loaded, address) = own_code();
        let mut symbolizer = Symbolizer::new();
        let many: Vec<u64> = (0..MAX_KEPT as u64).map(|nowhere| (1 << 62) + nowhere).collect();
        symbolizer.resolve(&loaded, &many);
        assert_eq!(symbolizer.kept, MAX_KEPT);
        let first = symbolizer.resolve(&loaded, &[address, many[7]]);
        assert_eq!(symbolizer.kept, 2, "of those seen before, nothing is known to be needed again");
        let again = symbolizer.resolve(&loaded, &[address]);
        assert!(Arc::ptr_eq(&first[0], &again[0]));
        let (names, texts) = (again[0].len(), symbolizer.texts.len());
        assert!(names == 1 && texts >= 3, "{names} {texts}");
        symbolizer.resolve(&loaded, &many);
        assert_eq!((symbolizer.kept, symbolizer.texts.len()), (MAX_KEPT, texts));
        drop((first, again));
        symbolizer.resolve(&loaded, &[address]);
        assert_eq!(symbolizer.kept, 1);
    }

    #[test]
    fn forgets_libraries_that_cannot_be_told_apart() {
        let (mut loaded, address) = own_code();
        (loaded.main, loaded.mapping.build_id) = (false, None);
        let mut symbolizer = Symbolizer::new();
        assert_eq!(symbolizer.resolve(&loaded, &[address])[0].len(), 1);
        assert!(symbolizer.modules.is_empty());
    }

    #[test]
    fn finds_as_much_as_it_was_made_for() {
        let (loaded, address) = own_code();
        let of = |symbolization| {
            let mut symbolizer = Symbolizer::with(symbolization);
            let frames = symbolizer.resolve(&loaded, &[address]).swap_remove(0);
            assert_eq!(symbolizer.resolve(&loaded, &[address])[0], frames, "the second time");
            frames
        };
        let (full, names) = (of(Symbolization::Full), of(Symbolization::Names));
        let [full, names] = [&full[0], &names[0]];
        assert_eq!((&full.name, &full.system_name), (&names.name, &names.system_name));
        assert!(full.line > 0 && names.line == 0 && names.file.is_empty(), "{names:?}");
        assert!(of(Symbolization::None).is_empty());
        let mut none = Symbolizer::with(Symbolization::None);
        none.resolve(&loaded, &[address]);
        assert!(none.modules.is_empty() && none.texts.is_empty());
    }

    #[test]
    fn does_not_use_a_file_that_is_not_the_one_loaded() {
        let (mut loaded, address) = own_code();
        loaded.mapping.build_id = Some("00".to_owned());
        assert!(Symbolizer::new().resolve(&loaded, &[address])[0].is_empty());
    }

    #[test]
    fn a_file_without_build_id_is_known_by_its_contents() {
        let (mut loaded, address) = own_code();
        (loaded.main, loaded.mapping.build_id) = (false, None);
        let mut names = |pieces: &[FilePiece]| {
            loaded.file = CodeFile::Recorded(pieces.to_vec());
            Symbolizer::new().resolve(&loaded, &[address])[0].len()
        };
        let piece = |offset, bytes: &[u8]| FilePiece { offset, bytes: bytes.to_vec() };
        let (magic, class) = (piece(0, b"\x7fELF"), piece(4, &[2]));
        assert_eq!(names(&[magic.clone(), class]), 1);
        assert_eq!(names(&[magic, piece(4, &[1])]), 0);
        assert_eq!(names(&[]), 0, "nothing is known of it");
    }
}
