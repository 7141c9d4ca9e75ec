//! What the sampler and an allocator's own profiler cost, side by side.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Build, Program},
        cost::sample,
        line::Figure,
        native::{instructions, mimalloc::Way},
        peer::{self, Peer},
    },
    workspace::Workspace,
};

/// Steps of a run.
const STEPS: u64 = 4096 * 12;
/// Samples of a run, so many that each path was seen before the second half.
const SAMPLES: u64 = 4096;
const PATHS: &str = "paths=1024";
/// A session that samples nothing.
const SESSION: [&str; 2] = ["interval=1125899906842624", "live=true"];

/// Instructions a pair of an allocation and a free, and a sample.
pub(super) fn of_jemalloc(workspace: &Workspace) -> Result<Figure, Error> {
    let sampler = Bench::over(workspace, "jemalloc");
    let is_native = |peer: &&Peer| peer.name == "jemalloc_pprof";
    let Some(native) = peer::ALL.iter().find(is_native).map(|peer| Bench::of(workspace, peer)) else {
        return Ok(Figure::not_run("no bench is over jemalloc's own profiler"));
    };
    sampler.build(Build::Shipped)?;
    native.build(Build::Shipped)?;
    let bare = sampler.count(Program::Bare, "pairs", STEPS, &[])?.total();
    let added = |bench: &Bench, words: &[&str]| -> Result<f64, Error> {
        Ok(bench.count(Program::Profiled, "pairs", STEPS, words)?.total() - bare)
    };
    let figures = format!(
        "{bare:.1} instructions a pair; the sampler adds {:.1} without a session and {:.1} in one, a sample is {}; its own adds {:.1} \
         and {:.1}, a sample is {}",
        added(&sampler, &[])?,
        added(&sampler, &SESSION)?,
        sample::as_shipped(&sampler)?.measured,
        added(&native, &[])?,
        added(&native, &SESSION)?,
        sample::as_shipped(&native)?.measured,
    );
    Ok(Figure::of(true, figures))
}

/// The same over RustFS's mimalloc, without hooks where the sampler is in front of it. Each program is started once, and what it does
/// counted by the difference of twice as much.
pub(super) fn of_mimalloc(workspace: &Workspace) -> Result<Figure, Error> {
    let count = |way: Way, program: &str, words: &[&str], n: u64| {
        instructions::per_step(workspace, &way.program(workspace, program)?, words, n)
    };
    let (without, with) = (Way::WithoutHooks, Way::EachRequest);
    let pairs = |way, program, words: &[&str]| count(way, program, &[&["pairs"], words].concat(), STEPS);
    let bare = pairs(without, "work", &[])?;
    let added = |way, program, words: &[&str]| Ok::<_, Error>(pairs(way, program, words)? - bare);
    let sample = |way, program| {
        let deep = |words: &[&str]| count(way, program, &[&["deep"], words].concat(), SAMPLES);
        let sampled = deep(&[PATHS, "interval=1", "live=true"])?;
        Ok::<_, Error>(sampled - deep(&[PATHS])?)
    };
    let figures = format!(
        "{bare:.1} instructions a pair; the sampler adds {:.1} without a session and {:.1} in one, a sample and its end are {:.0}; its own \
         hooks add {:.1} and {:.1}, a sample and its end are {:.0}",
        added(without, "work_sampled", &[])?,
        added(without, "work_sampled", &SESSION)?,
        sample(without, "work_sampled")?,
        added(with, "work", &[])?,
        added(with, "work", &SESSION)?,
        sample(with, "work")?,
    );
    Ok(Figure::of(true, figures))
}
