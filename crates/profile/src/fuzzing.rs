//! Parsers that are no part of the interface, for the fuzz targets of this workspace.

use crate::{mappings, symbols};

/// The build id in a segment of notes.
pub fn build_id(notes: &[u8], align: u64) -> Option<&[u8]> {
    mappings::build_id::find(notes, align)
}

/// How many functions the file has at these addresses, which are sorted and not repeated.
pub fn functions(file: &[u8], addresses: &[u64]) -> usize {
    symbols::object_file::resolve_in(file, |_| true, addresses).iter().map(Vec::len).sum()
}

/// A readable name; and the module of a source file, by what a unit of it is called.
pub fn name(raw: &str, folder: &str, unit: &str, path: &str) -> (Option<String>, Option<String>) {
    let mut roots = symbols::crate_roots::CrateRoots::default();
    roots.add_unit(folder, unit);
    (symbols::name::demangle(raw), roots.module(path))
}
