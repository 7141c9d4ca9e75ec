//! Parsers that are no part of the interface, for the fuzz targets of this workspace.

use crate::{Mapping, Symbolization, mappings, symbols};

/// The build id in a segment of notes.
pub fn build_id(notes: &[u8], align: u64) -> Option<&[u8]> {
    mappings::build_id::find(notes, align)
}

/// How many functions the file has at these addresses, which are sorted and not repeated; and how far a program of it
/// was moved, to judge by a mapping that they are in.
pub fn functions(file: &[u8], addresses: &[u64]) -> (usize, Option<u64>) {
    let Ok(object) = object::File::parse(file) else { return (0, None) };
    let of = |symbolization| symbols::object_file::resolve_in(&object, symbolization, addresses);
    let count = |found: Vec<Vec<_>>| found.iter().map(Vec::len).sum::<usize>();
    let [first, last, offset] = [addresses.first(), addresses.last(), addresses.get(1)]
        .map(|address| address.copied().unwrap_or_default());
    let mapping = Mapping { start: first, limit: last.saturating_add(1), offset, ..Mapping::default() };
    let bias = symbols::segments::Segments::of(&object).bias(&mapping, addresses);
    (count(of(Symbolization::Full)) + count(of(Symbolization::Names)), bias)
}

/// A readable name; and the module of a source file, by what a unit of it is called.
pub fn name(raw: &str, folder: &str, unit: &str, path: &str) -> (Option<String>, Option<String>) {
    let mut roots = symbols::crate_roots::CrateRoots::default();
    roots.add_unit(folder, unit);
    (symbols::name::demangle(raw), roots.module(path))
}
