//! One scenario, walked in every way, and what must hold of that.

use std::hint::black_box;

use allometer::{Config, Profiler, Snapshot, Stats, Symbolization, Unwinding, profile::Symbolizer};

use crate::{
    HAS_TABLES,
    leaf::{self, SIZE},
    stack::Stack,
};

/// What one way has seen of a scenario.
pub struct Walked {
    pub way: Unwinding,
    /// The distinct stacks of the allocation that is looked for, in order.
    pub stacks: Vec<Stack>,
    /// Samples of the whole session, and those that were left to the platform.
    pub samples: u64,
    pub portable_stacks: u64,
}

/// What all ways have seen.
pub struct Ways {
    pub portable: Walked,
    pub rules: Walked,
    pub frame_pointers: Walked,
}

/// A session that was, whose profile is still to be made.
pub struct Recorded {
    snapshot: Snapshot,
    stats: Stats,
}

/// Records every request while `scenario` runs.
#[inline(never)]
pub fn record(config: Config, way: Unwinding, scenario: &dyn Fn()) -> Recorded {
    let profiler = Profiler::start(config.sample_interval(1).unwinding(way)).expect("a session");
    scenario();
    let stats = profiler.stats().expect("a session that runs");
    Recorded { snapshot: profiler.snapshot().expect("a snapshot"), stats }
}

impl Recorded {
    /// The stacks, by the code that is loaded now.
    pub fn walked(self) -> Walked {
        let profile = self.snapshot.profile();
        let mut nothing = Symbolizer::with(Symbolization::None);
        let unnamed = self.snapshot.since_start().profile_with(&mut nothing);
        let is_it = |size: u64| size == SIZE as u64;
        let samples = profile.samples.iter().zip(&unnamed.samples);
        let found = samples.filter(|(sample, _)| sample.live_objects.iter().any(|object| is_it(object.size)));
        let mut stacks: Vec<Stack> =
            found.map(|(sample, whole)| Stack::of(&profile, sample, &unnamed, whole)).collect();
        stacks.sort();
        let Stats { unwinding: way, samples, portable_stacks, .. } = self.stats;
        Walked { way, stacks, samples, portable_stacks }
    }
}

impl Ways {
    /// Runs `scenario`, which calls [`leaf::keep`] at its innermost point, once in each way.
    pub fn of(scenario: impl Fn()) -> Self {
        Self::with(&Config::default(), scenario)
    }

    /// The same with another configuration.
    pub fn with(config: &Config, scenario: impl Fn()) -> Self {
        Self::new(in_each_way(|way| record(config.clone(), way, &scenario).walked()))
    }

    /// Walks the stack of the caller in all ways, for a place that is reached only once. Makes no profile yet:
    /// the caller may be a signal handler, with little stack.
    #[inline(never)]
    pub fn recorded_here() -> Vec<Recorded> {
        in_each_way(|way| record(Config::default(), way, &leaf::keep))
    }

    /// What [`Ways::recorded_here`] has recorded.
    pub fn of_recorded(recorded: Vec<Recorded>) -> Self {
        Self::new(recorded.into_iter().map(Recorded::walked).collect())
    }

    fn new(walked: Vec<Walked>) -> Self {
        for (walked, way) in walked.iter().zip(WAYS) {
            assert_eq!(walked.way, way);
            assert!(!walked.stacks.is_empty(), "{way:?}: nothing was recorded");
        }
        let [portable, rules, frame_pointers] = walked.try_into().ok().expect("one for each way");
        Self { portable, rules, frame_pointers }
    }

    pub fn all(&self) -> [&Walked; 3] {
        [&self.portable, &self.rules, &self.frame_pointers]
    }

    /// All ways see the same. Without tables, at least what [`Ways::rules_end_early`] says.
    #[track_caller]
    pub fn agree(&self) {
        self.rules_end_early();
        if HAS_TABLES {
            self.portable.is_as(&self.frame_pointers);
        }
    }

    /// There is code without a table on the stacks. Rules end there; frame pointers may go on. So does the
    /// platform's unwinder end, unless the profiler has no tables either: then it may see nothing, since it does
    /// not come out of that.
    #[track_caller]
    pub fn rules_end_early(&self) {
        if HAS_TABLES {
            self.portable.is_as(&self.rules);
        }
        for stack in &self.portable.stacks {
            assert!(stack.is_nothing() || self.rules.stacks.contains(stack), "the platform alone:\n{stack}");
        }
        for stack in &self.rules.stacks {
            let mut further = self.frame_pointers.stacks.iter();
            let is_start = further.any(|further| further.frames.starts_with(&stack.frames));
            assert!(stack.is_nothing() || is_start, "rules alone:\n{stack}");
        }
    }

    /// The stacks go through these functions, from the innermost, to the root; without tables, those that are
    /// walked by frame pointers.
    #[track_caller]
    pub fn pass(&self, functions: &[&str]) {
        for stack in self.seen() {
            stack.passes(functions);
            assert!(stack.reaches_root(), "ends early\n{stack}");
        }
    }

    /// The stacks of the ways that see any of this program: without tables, only one does.
    pub fn seen(&self) -> impl Iterator<Item = &Stack> {
        let blind = if HAS_TABLES { 0 } else { 2 };
        self.all().into_iter().skip(blind).flat_map(|walked| &walked.stacks)
    }

    /// No stack was left to the platform's unwinder, except by the way that leaves all to it.
    #[track_caller]
    pub fn need_no_platform(&self) {
        let portable_stacks = self.all().map(|walked| walked.portable_stacks);
        assert_eq!(portable_stacks, [self.portable.samples, 0, 0], "stacks that were left to the platform");
    }

    /// All of it, for what is usual.
    #[track_caller]
    pub fn verify(&self, functions: &[&str]) {
        self.agree();
        self.pass(functions);
        self.need_no_platform();
    }
}

/// From the one that the others are held against.
pub const WAYS: [Unwinding; 3] = [Unwinding::Portable, Unwinding::Rules, Unwinding::FramePointers];

/// In a loop whose length the compiler does not know: all ways have to be called from one place.
fn in_each_way<T>(walk: impl Fn(Unwinding) -> T) -> Vec<T> {
    black_box(WAYS.as_slice()).iter().map(|way| walk(*way)).collect()
}

impl Walked {
    /// The one stack that there is.
    #[track_caller]
    pub fn stack(&self) -> &Stack {
        let [stack] = self.stacks.as_slice() else {
            panic!("{:?}: {} stacks, not one", self.way, self.stacks.len());
        };
        stack
    }

    /// The same stacks as another way's, address by address.
    #[track_caller]
    pub fn is_as(&self, other: &Self) {
        let alone = |one: &Self, other: &Self| {
            let stacks = one.stacks.iter().filter(|stack| !other.stacks.contains(stack));
            stacks.map(|stack| format!("{:?} alone:\n{stack}", one.way)).collect::<String>()
        };
        assert!(self.stacks == other.stacks, "ways differ\n{}\n{}", alone(self, other), alone(other, self));
    }
}
