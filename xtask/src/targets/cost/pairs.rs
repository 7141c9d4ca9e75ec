//! K1, K2, K3, K6: pairs of an allocation and a free, while nothing is sampled.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Steps of a run; a multiple of the handover's batch.
const STEPS: u64 = 4096 * 12;

/// What the profiler does meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// There is no session.
    Idle,
    /// There is one, at an interval that nothing reaches.
    Session,
    /// The same, and it would follow what it samples.
    Live,
}

impl State {
    const ALL: [Self; 3] = [Self::Idle, Self::Session, Self::Live];

    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Idle => &[],
            Self::Session => &["interval=1125899906842624"],
            Self::Live => &["interval=1125899906842624", "live=true"],
        }
    }

    /// The most that it may add, in instructions a pair.
    fn limit(self) -> f64 {
        match self {
            Self::Idle => 6.5,
            Self::Session => 10.5,
            Self::Live => 19.5,
        }
    }
}

/// What `state` adds to pairs on one thread.
pub(super) fn added(bench: &Bench, state: State) -> Result<Figure, Error> {
    let added = Added::measure(bench, "pairs", 1.0, state)?;
    Ok(Figure::of(
        added.hook <= state.limit(),
        format!("{:.2} ({:.2} to {:.1})", added.hook, added.all, added.bare),
    ))
}

/// What each state adds on two threads, and to the two threads of a handover.
pub(super) fn on_threads(bench: &Bench) -> Result<Figure, Error> {
    let (mut ok, mut figures) = (true, Vec::new());
    for (workload, pairs) in [("threads", 2.0), ("handover", 1.0)] {
        for state in State::ALL {
            let added = Added::measure(bench, workload, pairs, state)?.hook;
            ok &= added <= state.limit();
            figures.push(format!("{added:.2}"));
        }
    }
    let (threads, handover) = figures.split_at(State::ALL.len());
    let [threads, handover] = [threads, handover].map(|figures| figures.join(", "));
    Ok(Figure::of(ok, format!("{threads} on two threads; {handover} where another thread frees")))
}

/// What is added to a pair, in instructions.
struct Added {
    /// In the hook, and nothing of it is in C. It calls the provider for the same as the program does alone.
    hook: f64,
    /// With the difference in the provider's own code.
    all: f64,
    /// What a pair takes without.
    bare: f64,
}

impl Added {
    /// A step of `workload` is so many `pairs`.
    fn measure(bench: &Bench, workload: &str, pairs: f64, state: State) -> Result<Self, Error> {
        let bare = bench.count(Program::Bare, workload, STEPS, &[])?;
        let profiled = bench.count(Program::Profiled, workload, STEPS, state.words())?;
        Ok(Self {
            hook: (profiled.in_rust() - bare.in_rust()) / pairs,
            all: (profiled.total() - bare.total()) / pairs,
            bare: bare.total() / pairs,
        })
    }
}
