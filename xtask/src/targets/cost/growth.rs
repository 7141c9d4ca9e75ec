//! K7: vectors that grow.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Vectors of a run.
const VECTORS: u64 = 8;
/// Growth steps of one: from 4 numbers of 8 bytes to 131 072.
const GROWTHS: f64 = 15.0;
/// What a growth step may add, in instructions.
const LIMIT: f64 = 20.0;

/// What the idle sampler adds to a growth step, with its share of the vector's first allocation and its free.
///
/// The provider's own code is left out: what it does when a large block grows depends on its clock. The difference
/// in all is told, too.
pub(super) fn added(bench: &Bench) -> Result<Figure, Error> {
    let bare = bench.count(Program::Bare, "growth", VECTORS, &[])?;
    let profiled = bench.count(Program::Profiled, "growth", VECTORS, &[])?;
    let added = (profiled.in_rust() - bare.in_rust()) / GROWTHS;
    let in_all = (profiled.total() - bare.total()) / GROWTHS;
    Ok(Figure::of(added <= LIMIT, format!("{added:.2} ({in_all:.2})")))
}
