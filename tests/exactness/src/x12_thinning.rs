//! X12: the live table reaches its bound, and the interval doubles.
//!
//! Ten times as many samples are kept as there is room for, half of the objects are freed, and as many made
//! again. After each of these steps every figure of every site is held against the truth.

use std::array;

use allometer_contract::{Block, Decoded, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part, with_crew};

use crate::{
    expected::Expected,
    line::Line,
    sites::{Site, functions, site},
    statistics::farthest,
    subject::Subject,
};

pub(crate) const LINE: Line = Line {
    number: "X12",
    target: "10 x the live bound kept, half freed, made again: within 3 SE throughout, interval told",
    parts: |_| const { &[Part::only(run)] },
};

const INTERVAL: u64 = 1 << 10;
const BOUND: usize = 2000;
const STEPS: [&str; 3] = ["kept", "half freed", "made again"];
/// One thread, or four, of which one thins the table while the others go on.
const THREADS: [usize; 2] = [1, 4];

functions!(small, middle, large, mixed);

#[inline(never)]
fn resized(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

/// Made by `realloc`, in a function of its own.
fn made_and_resized(size: usize) -> Block {
    resized(Block::new(size / 5, 8).unwrap(), size)
}

/// Each expects 4000 samples and more.
const SITES: [Site; 5] = [
    site!(small, [100], 54_000),
    site!(middle, [1000], 8040),
    site!(large, [6000], 5040),
    site!(mixed, [300, 700, 3000], 10_032),
    site!(resized by made_and_resized, [2000], 5040),
];

type Kept = [Vec<Block>; SITES.len()];

/// Carries out one step over a share of the objects.
fn step(kept: &mut Kept, step: usize, share: usize) {
    for (site, kept) in SITES.iter().zip(kept) {
        match step {
            0 => kept.extend(site.blocks(site.count / share)),
            1 => site.free_half(kept),
            _ => kept.extend(site.blocks(site.count / share / 2)),
        }
    }
}

fn room() -> Kept {
    array::from_fn(|site| Vec::with_capacity(2 * SITES[site].count))
}

/// So many halves of what a site makes at first.
fn halves_of(site: &Site, halves: usize, interval: u64) -> Expected {
    let each = (site.count * halves / 2 / site.sizes.len()) as u64;
    site.sizes.iter().map(|&size| Expected::of(each, size, interval)).sum()
}

/// How far a figure is off, summed up over sessions, and how far it may be.
#[derive(Clone, Copy, Default)]
struct Sum {
    off: f64,
    variance: f64,
}

impl Sum {
    /// In standard errors.
    fn off(self) -> f64 {
        self.off / self.variance.sqrt()
    }
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        let add = |a: Self, b: Self| Self { off: a.off + b.off, variance: a.variance + b.variance };
        parts.fold(Self::default(), add)
    }
}

/// Allocated objects and bytes, live objects and bytes.
type Sums = [Sum; 4];

/// What was seen over many sessions.
#[derive(Default)]
struct Seen {
    /// By step and number of threads.
    sums: [[[Sums; SITES.len()]; THREADS.len()]; STEPS.len()],
    /// Intervals that sessions had reached, in bytes.
    shortest: u64,
    longest: u64,
    /// Profiles that told another interval than the one that had been reached, or did not say why.
    untold: usize,
    left: i64,
}

impl Seen {
    /// The errors are those of the interval that the session had reached: samples drawn before, at shorter
    /// ones, and not thinned yet are more exact than that.
    fn add(&mut self, step: usize, threads: usize, encoded: &Decoded) {
        let interval = encoded.period() as u64;
        for (site, sums) in SITES.iter().zip(&mut self.sums[step][threads]) {
            let (allocated, live) = [(2, 2), (2, 1), (3, 2)][step];
            let (allocated, live) = (halves_of(site, allocated, interval), halves_of(site, live, interval));
            let values = encoded.at(site.name);
            let figures = [
                (values.alloc_objects, allocated.objects, allocated.objects_variance),
                (values.alloc_bytes, allocated.bytes, allocated.bytes_variance),
                (values.live_objects, live.objects, live.objects_variance),
                (values.live_bytes, live.bytes, live.bytes_variance),
            ];
            for (sum, (value, truth, variance)) in sums.iter_mut().zip(figures) {
                sum.off += value as f64 - truth;
                sum.variance += variance;
            }
        }
    }

    /// Holds what the profile says of the interval against the one that the session was at.
    fn compare_interval(&mut self, reached: u64, encoded: &Decoded) {
        let says_why = encoded.comments().iter().any(|comment| comment.contains("doubled"));
        let told = encoded.period() as u64 == reached && (says_why || reached == INTERVAL);
        self.untold += usize::from(!told);
        self.shortest = if self.shortest == 0 { reached } else { self.shortest.min(reached) };
        self.longest = self.longest.max(reached);
    }

    fn judge(&self, outcome: Outcome, form: Form) -> Outcome {
        // Tables are thinned in the order of addresses, which no seed repeats: a step of CI has to be surer, and
        // so has what asks for forty figures at once.
        let most = form.pick(4.0, 3.0);
        let outcome = STEPS.iter().zip(&self.sums).fold(outcome, |outcome, (step, by_threads)| {
            let sites = || by_threads.iter().flatten();
            let total = |figure: usize| sites().map(|sums| sums[figure]).sum::<Sum>();
            let total = farthest((0..4).map(|figure| total(figure).off()));
            let worst = farthest(sites().flatten().map(|sum| sum.off()));
            outcome
                .with(total.abs() <= most, format!("{step}: worst of 4 totals {total:+.2} SE"))
                .with(worst.abs() <= 4.0, format!("of {} figures {worst:+.2} SE", 4 * sites().count()))
        });
        let kib = |bytes| bytes / 1024;
        let (shortest, longest) = (kib(self.shortest), kib(self.longest));
        outcome
            .with(self.shortest > 4 * INTERVAL, format!("interval {shortest} to {longest} KiB"))
            .with(self.untold == 0, format!("{} profiles did not say so", self.untold))
            .with(self.left == 0, format!("{} live at the end", self.left))
    }
}

fn run(_: &Subject, form: Form) -> Outcome {
    let kept: f64 = SITES.iter().map(|site| site.expected_samples(INTERVAL)).sum();
    let times = kept / BOUND as f64;
    let seeds = form.pick(5, 60);
    let mut seen = Seen::default();
    for (number, threads) in THREADS.into_iter().enumerate() {
        let carry_out = |kept: &mut Kept, order: usize| match order {
            FREE => kept.iter_mut().for_each(Vec::clear),
            number => step(kept, number, threads),
        };
        with_crew(
            threads,
            |_| room(),
            carry_out,
            |crew| {
                (0..seeds).for_each(|seed| session(seed, number, &mut seen, |order| crew.order(order)));
            },
        );
    }
    let outcome = Outcome::new()
        .with(times >= 10.0, format!("{times:.1} times the bound, {seeds} seeds with 1 and with 4 threads"));
    seen.judge(outcome, form)
}

/// The order that comes after the steps.
const FREE: usize = STEPS.len();

/// A session in which threads carry out the steps.
fn session(seed: u64, threads: usize, seen: &mut Seen, order: impl Fn(usize)) {
    let config = Config::default().sample_interval(INTERVAL).max_live_samples(BOUND).seed(seed);
    let recording = Recording::start(config);
    for step in 0..STEPS.len() {
        order(step);
        // Before anything else requests memory, as reading a profile does.
        let reached = recording.stats().unwrap().sample_interval;
        let encoded = recording.so_far();
        seen.add(step, threads, &encoded);
        seen.compare_interval(reached, &encoded);
    }
    order(FREE);
    let end = recording.so_far();
    seen.left += SITES.iter().map(|site| end.at(site.name).live_objects).sum::<i64>();
}
