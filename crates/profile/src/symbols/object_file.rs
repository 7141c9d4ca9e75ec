//! Reads one file of the program, from opening it to closing it again.
//!
//! Unsafe because a file is mapped into memory: reading it whole would cost its size in memory, and a debug
//! build has hundreds of megabytes.
#![allow(unsafe_code)]

use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;
use object::{Object, ReadRef};

use super::crate_roots::CrateRoots;
use super::debug_info::{DebugFrame, DebugInfo, DebugSections};
use super::name::demangle;
use super::{FoundFrame, symbol_table};
use crate::Symbolization;
use crate::mappings::{CodeFile, LoadedMapping, hexadecimal};

/// The functions at each of `addresses` (virtual addresses in the file of `loaded`; sorted, no repetitions),
/// innermost first. Empty where nothing is known, which is everywhere when the file cannot be read or is no
/// longer the one that was loaded.
pub(super) fn resolve(
    loaded: &LoadedMapping,
    symbolization: Symbolization,
    addresses: &[u64],
) -> Vec<Vec<FoundFrame>> {
    let data = Data::open(loaded);
    let object = data.as_ref().and_then(|data| {
        let object = object::File::parse(&**data).ok()?;
        is_the_one_loaded(&object, data, loaded).then_some(object)
    });
    match object {
        Some(object) => resolve_in(&object, symbolization, addresses),
        None => vec![Vec::new(); addresses.len()],
    }
}

/// The same in a file that is the right one.
pub(crate) fn resolve_in<'data, R: ReadRef<'data>>(
    object: &object::File<'data, R>,
    symbolization: Symbolization,
    addresses: &[u64],
) -> Vec<Vec<FoundFrame>> {
    let sections = match symbolization {
        Symbolization::Full => DebugSections::load(object),
        Symbolization::Names => None,
        Symbolization::None => return vec![Vec::new(); addresses.len()],
    };
    let debug_info = sections.as_ref().and_then(DebugInfo::parse);
    let chains: Vec<_> = addresses
        .iter()
        .map(|&address| debug_info.as_ref().map(|debug_info| debug_info.frames(address)).unwrap_or_default())
        .collect();
    let symbols = symbols(object, addresses, &chains);
    let roots = OnceCell::new();
    let roots = || roots.get_or_init(|| debug_info.as_ref().map(DebugInfo::crate_roots).unwrap_or_default());
    chains.into_iter().zip(symbols).map(|(chain, symbol)| name_all(chain, symbol, &roots)).collect()
}

/// A file in memory.
enum Data {
    Mapped(Mmap),
    Copied(Vec<u8>),
}

impl Data {
    /// The file of a mapping, if it can be read.
    fn open(loaded: &LoadedMapping) -> Option<Self> {
        let path = match &loaded.file {
            CodeFile::Running => "/proc/self/exe",
            CodeFile::Loaded => &*loaded.mapping.path,
            CodeFile::Recorded(_) => {
                return copy(loaded.mapping.path.as_ref()).ok().flatten().map(Self::Copied);
            }
            CodeFile::Lost => return None,
        };
        let file = File::open(path).ok()?;
        // SAFETY: the map must not change while it is read. The kernel refuses to write to the file of a running
        // program. Somebody who writes into the file of a loaded library, instead of replacing it, changes the
        // code that this process runs as well; it could not go on either.
        unsafe { Mmap::map(&file) }.ok().map(Self::Mapped)
    }
}

impl Deref for Data {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Copied(bytes) => bytes,
        }
    }
}

/// Reads a file that anybody may write to: that of a library which is not, or not for long, loaded any more. None:
/// it is no file, or it was written to meanwhile.
fn copy(path: &Path) -> io::Result<Option<Vec<u8>>> {
    // A pipe would wait for somebody to write into it.
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let before = file.metadata()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let after = file.metadata()?;
    let is_same = before.len() == after.len() && before.modified()? == after.modified()?;
    Ok(is_same.then_some(bytes))
}

/// A library may have been replaced since it was loaded; names from the new file would be wrong.
fn is_the_one_loaded(object: &object::File<'_>, data: &[u8], loaded: &LoadedMapping) -> bool {
    match (&loaded.mapping.build_id, &loaded.file) {
        (Some(expected), _) => build_id(object).as_ref() == Some(expected),
        (None, CodeFile::Recorded(pieces)) => {
            !pieces.is_empty() && pieces.iter().all(|piece| piece.is_in(data))
        }
        (None, CodeFile::Running | CodeFile::Loaded) => true,
        (None, CodeFile::Lost) => false,
    }
}

/// The build id of a file as profiles show it.
pub(crate) fn build_id<'data, R: ReadRef<'data>>(object: &object::File<'data, R>) -> Option<String> {
    object.build_id().ok().flatten().map(hexadecimal)
}

/// The symbols of those addresses for which the debug information does not have the full name of the function
/// that the machine code belongs to.
fn symbols<'data, R: ReadRef<'data>>(
    object: &object::File<'data, R>,
    addresses: &[u64],
    chains: &[Vec<DebugFrame>],
) -> Vec<Option<&'data str>> {
    let is_complete = |chain: &Vec<DebugFrame>| {
        let name = chain.last().and_then(|outermost| outermost.name.as_deref());
        name.is_some_and(|name| demangle(name).is_some())
    };
    let wanted = |position: &usize| chains.get(*position).is_none_or(|chain| !is_complete(chain));
    let positions: Vec<usize> = (0..addresses.len()).filter(wanted).collect();
    let asked: Vec<u64> = positions.iter().filter_map(|&position| addresses.get(position).copied()).collect();
    let mut symbols = vec![None; addresses.len()];
    if !asked.is_empty() {
        for (position, symbol) in positions.into_iter().zip(symbol_table::find(object, &asked)) {
            if let Some(place) = symbols.get_mut(position) {
                *place = symbol;
            }
        }
    }
    symbols
}

/// Puts what the debug information and the symbol table know of one address together.
fn name_all<'roots>(
    mut chain: Vec<DebugFrame>,
    symbol: Option<&str>,
    roots: &dyn Fn() -> &'roots CrateRoots,
) -> Vec<FoundFrame> {
    if chain.is_empty() && symbol.is_some() {
        chain.push(DebugFrame { name: None, rust: false, file: None, line: 0 });
    }
    if let (Some(outermost), Some(symbol)) = (chain.last_mut(), symbol) {
        // A short name is worth less than a mangled symbol, but more than a plain one: compilers of C append
        // to those (`read_all.constprop.0`).
        if outermost.name.is_none() || demangle(symbol).is_some() {
            outermost.name = Some(symbol.to_owned());
        }
    }
    chain.into_iter().filter_map(|frame| name_one(frame, roots)).collect()
}

/// A frame without any name is left out.
fn name_one<'roots>(frame: DebugFrame, roots: &dyn Fn() -> &'roots CrateRoots) -> Option<FoundFrame> {
    let raw = frame.name?;
    let module = || frame.file.as_deref().and_then(|file| roots().module(file));
    let full = demangle(&raw).or_else(|| match frame.rust {
        true => module().map(|module| format!("{module}::{raw}")),
        false => None,
    });
    let (name, system_name) = match full {
        Some(full) => (full, Some(raw)),
        None => (raw, None),
    };
    Some(FoundFrame { name, system_name, file: frame.file, line: frame.line })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(name: Option<&str>, rust: bool) -> DebugFrame {
        let file = Some("/src/shop/src/cart.rs".to_owned());
        DebugFrame { name: name.map(str::to_owned), rust, file, line: 7 }
    }

    fn names(chain: Vec<DebugFrame>, symbol: Option<&str>) -> Vec<(String, Option<String>)> {
        let roots = CrateRoots::default();
        let found = name_all(chain, symbol, &|| &roots);
        found.into_iter().map(|frame| (frame.name, frame.system_name)).collect()
    }

    const SYMBOL: &str = "_ZN4shop4cart3add17h5432d21233e580cbE";

    #[test]
    fn short_names_get_a_module_and_the_outermost_its_symbol() {
        let chain = vec![frame(Some("{closure#0}"), true), frame(Some("add"), true)];
        let expected = [
            ("shop::cart::{closure#0}".to_owned(), Some("{closure#0}".to_owned())),
            ("shop::cart::add".to_owned(), Some(SYMBOL.to_owned())),
        ];
        assert_eq!(names(chain, Some(SYMBOL)), expected);
    }

    #[test]
    fn names_of_c_stay_as_they_are() {
        let chain = vec![frame(Some("read_all"), false)];
        assert_eq!(names(chain, Some("read_all.constprop.0")), [("read_all".to_owned(), None)]);
    }

    #[test]
    fn a_symbol_alone_will_do() {
        assert_eq!(names(Vec::new(), Some("malloc")), [("malloc".to_owned(), None)]);
        assert_eq!(names(Vec::new(), None), []);
        assert_eq!(names(vec![frame(None, false)], Some("start"))[0].0, "start");
        assert_eq!(names(vec![frame(None, false)], None), []);
    }
}
