//! One program, linked and treated in every way that programs are: whether an address leads to the same name in the
//! process, afterwards from its file, and by `go tool pprof`.
//!
//! | module | owns |
//! |---|---|
//! | `shape` | the ways, and whether a file is made so |
//! | `program` | building and running the program in one of them |
//! | `names` | what its profile has to say |
//! | `go` | what go says of the same addresses |

mod go;
mod names;
mod program;
mod shape;

use std::{collections::BTreeSet, path::Path};

use allometer_profile::{Mapping, MappingNames, SymbolFile, Symbolizer};

use self::{
    go::Go,
    names::{Stack, difference, physical, stacks},
    program::{Program, Written},
    shape::{SHAPES, Shape, Treatment},
};
use crate::{error::Error, workspace::Workspace};

/// Builds the program in each way, runs it, and compares.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let go = Go::ensure(workspace)?;
    let mut plain = None;
    for shape in SHAPES {
        let fault = |fault| Error::Names { shape: shape.name, fault };
        let program = Program::build(workspace, shape)?;
        let written = program.run(workspace)?;
        let of_process = in_process(shape, &written).map_err(fault)?;
        let afterwards = from_files(shape, &program, &written).map_err(fault)?;
        // The first shape is that of a program as it is built by default.
        let plain = plain.get_or_insert_with(|| of_process.clone());
        same_as_plain(shape, &afterwards, plain).map_err(fault)?;
        let by_go = go.compare(shape, &program, &written)?;
        println!("{}: {} stacks, {by_go}", shape.name, of_process.len());
    }
    Ok(())
}

/// The stacks of the profile that was made with names, if they are as they have to be.
fn in_process(shape: &Shape, written: &Written) -> Result<BTreeSet<Stack>, String> {
    let is_program = |mapping: &Mapping| Path::new(&mapping.path) == written.program;
    match written.named.mappings.first() {
        Some(first) if is_program(first) => {}
        other => return Err(format!("the first mapping is not the program: {other:?}")),
    }
    let stacks = stacks(&written.named);
    match shape.treatment {
        Treatment::Stripped | Treatment::Split => names::only_offsets(&written.named)?,
        Treatment::None => names::check(&stacks, &written.calls, shape)?,
    }
    Ok(stacks)
}

/// The stacks of the profile that was made without names, once they were looked up in files, which are not where the
/// program was. The profile is the same, to the byte, if the process has seen the same files.
fn from_files(shape: &Shape, program: &Program, written: &Written) -> Result<BTreeSet<Stack>, String> {
    let mut profile = written.unnamed.clone();
    let is_program = |mapping: &Mapping| Path::new(&mapping.path) == written.program;
    if !shape.has_build_id {
        let refused = Symbolizer::new().symbolize(&mut profile, |mapping| {
            is_program(mapping).then(|| SymbolFile::new(program.symbols()))
        });
        if !matches!(refused.first(), Some(MappingNames::NotVouched { .. })) {
            return Err(format!("a file without build id: {refused:?}"));
        }
    }
    let answers = Symbolizer::new().symbolize(&mut profile, |mapping| {
        let of_program = || SymbolFile::new(program.symbols()).vouched();
        let of_library = || Path::new(&mapping.path).is_file().then(|| SymbolFile::new(&mapping.path));
        if is_program(mapping) { Some(of_program()) } else { of_library() }
    });
    if !matches!(answers.first(), Some(MappingNames::LookedUp { named: 1.., .. })) {
        return Err(format!("looked up in {}: {answers:?}", program.symbols().display()));
    }
    if shape.treatment == Treatment::None && profile.to_pprof() != written.named.to_pprof() {
        let differing = difference(&stacks(&profile), &stacks(&written.named));
        return Err(format!("names from files differ from those in the process: {differing:?}"));
    }
    Ok(stacks(&profile))
}

/// Whatever is done to the file, the functions that machine code belongs to stay; so do all lines, where it is the same
/// code with the same debug information.
fn same_as_plain(shape: &Shape, stacks: &BTreeSet<Stack>, plain: &BTreeSet<Stack>) -> Result<(), String> {
    let (ours, theirs) = match shape.treatment {
        Treatment::Stripped | Treatment::Split => (stacks.clone(), plain.clone()),
        Treatment::None => (physical(stacks), physical(plain)),
    };
    difference(&ours, &theirs).map_or(Ok(()), |stack| Err(format!("not as in the plain program: {stack}")))
}
