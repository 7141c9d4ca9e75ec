//! M5: what stays of a session.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
        memory::MIB,
    },
};

/// Objects of as many stacks: more than the default bound on sites.
const OBJECTS: u64 = 100_000;

/// What a session that held many samples and sites leaves when it is stopped.
pub(super) fn measure(bench: &Bench) -> Result<Figure, Error> {
    let said = bench.say(Program::Profiled, "leftover", OBJECTS, &["interval=1", "live=true"])?;
    let [before, height, after] = ["before", "height", "after"].map(|name| said.number(name));
    let (before, height, after) = (before?, height?, after?);
    let (left, taken) = ((after - before) / MIB, (height - before) / MIB);
    Ok(Figure::of(left <= 1.0, format!("{left:.2} MiB, of {taken:.1}")))
}
