//! M3, M4: what distinct stacks take.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
        memory::MIB,
    },
};

/// Stacks for M3: fewer than the default bound, so that each has a site of its own.
const SITES: u64 = 60_000;
/// Stacks for M4.
const STACKS: u64 = 10_000_000;
/// Bytes of a block that is allocated at each.
const BLOCK: f64 = 64.0;

/// What a site takes, from the fourth part of them on: what is taken once is taken by then.
pub(super) fn slope(bench: &Bench) -> Result<Figure, Error> {
    let words = ["interval=1", "live=true", "depth=30", "tellings=4"];
    let said = bench.say(Program::Profiled, "stacks", SITES, &words)?;
    let tellings = said.pairs("resident")?;
    let [_, (sites, bytes), .., (all_sites, all_bytes)] = tellings[..] else {
        return Err(said.silent("resident"));
    };
    let each = (all_bytes - bytes) / (all_sites - sites);
    Ok(Figure::of(each <= 512.0, format!("{each:.0} B, over {:.0} sites", all_sites - sites)))
}

/// What ten million stacks take, at interval 1, and whether each is counted.
pub(super) fn ten_million(bench: &Bench) -> Result<Figure, Error> {
    let words = ["interval=1", "live=true", "totals=true"];
    let said = bench.say(Program::Profiled, "stacks", STACKS, &words)?;
    let tellings = said.pairs("resident")?;
    let [(_, before), .., (_, after)] = tellings[..] else { return Err(said.silent("resident")) };
    let taken = (after - before) / MIB;
    let (objects, bytes) = (said.number("objects")?, said.number("bytes")?);
    let wrong = (objects - STACKS as f64, bytes - STACKS as f64 * BLOCK);
    let figures = format!("{taken:.1} MiB; {} objects and {} bytes too many", wrong.0, wrong.1);
    Ok(Figure::of(taken <= 48.0 && wrong == (0.0, 0.0), figures))
}
