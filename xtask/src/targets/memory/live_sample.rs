//! M2: what a live sample takes.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Objects: as many as the default bound lets a session follow.
const OBJECTS: u64 = 1 << 18;

/// Holds objects in a session that follows every one of them, and again in one that follows none: the difference,
/// by objects, when all are held and at its worst on the way there.
pub(super) fn measure(bench: &Bench) -> Result<Figure, Error> {
    let taken = |live| {
        let said = bench.say(Program::Profiled, "load", OBJECTS, &["interval=1", live])?;
        said.pairs("resident").map(|tellings| since_the_first(&tellings))
    };
    let (on, off) = (taken("live=true")?, taken("live=false")?);
    let by_objects = on.iter().zip(&off).map(|(&(objects, on), (_, off))| (objects, (on - off) / objects));
    let (mut full, mut worst, mut worst_at) = (f64::INFINITY, 0.0, 0.0);
    for (objects, bytes) in by_objects {
        full = bytes;
        if bytes > worst {
            (worst, worst_at) = (bytes, objects);
        }
    }
    let figures = format!("{full:.1} B at {OBJECTS} samples, at worst {worst:.1} B, at {worst_at}");
    Ok(Figure::of(full <= 80.0 && worst <= 150.0, figures))
}

/// What was taken since the first telling.
fn since_the_first(tellings: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let Some(((_, first), rest)) = tellings.split_first() else { return Vec::new() };
    rest.iter().map(|(objects, bytes)| (*objects, bytes - first)).collect()
}
