//! What the sampler and an allocator's own profiler cost, side by side.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Build, Program},
        cost::sample,
        line::Figure,
        peer::{self, Peer},
    },
    workspace::Workspace,
};

/// Steps of a run.
const STEPS: u64 = 4096 * 12;
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
