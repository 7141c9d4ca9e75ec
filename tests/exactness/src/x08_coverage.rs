//! X8: standard errors cover the truth as often as they claim to.
//!
//! Each session makes objects at several sites, takes a snapshot, frees some of them and makes others. Three
//! figures of each site are held against the truth: what was allocated, what is live in the end, and by how
//! much the live heap grew between the two snapshots. A session shows its own standard errors; the truth has
//! to be within one of them 68 % of the time, and within two 95 %.

use std::array;

use allometer_contract::{Block, Decoded, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};
use allometer_profile::{Estimate, growth};

use crate::{
    line::Line,
    named,
    sites::{Site, functions, site},
    subject::Subject,
};

pub(crate) const LINE: Line = Line {
    number: "X8",
    target: "standard errors, sites expecting 30 samples, 200 seeds pooled: 68 and 95 % +- 5 points",
    parts: |_| const { &[Part::only(run)] },
};

const INTERVAL: u64 = 16 << 10;

functions!(bytes_16, bytes_64, bytes_128, bytes_256, kib_1, kib_2, kib_4, kib_8, kib_16, kib_32, mixed);

#[inline(never)]
fn resized(block: Block, size: usize) -> Block {
    block.resized(size).unwrap()
}

/// Made by `realloc`, in a function of its own.
fn made_and_resized(size: usize) -> Block {
    resized(Block::new(size / 3, 8).unwrap(), size)
}

const SITES: [Site; 12] = [
    site!(bytes_16, [16], 33_000),
    site!(bytes_64, [64], 10_000),
    site!(bytes_128, [128], 6000),
    site!(bytes_256, [256], 4000),
    site!(kib_1, [1 << 10], 600),
    site!(kib_2, [2 << 10], 400),
    site!(kib_4, [4 << 10], 300),
    site!(kib_8, [8 << 10], 120),
    site!(kib_16, [16 << 10], 100),
    site!(kib_32, [32 << 10], 50),
    site!(mixed, [512, 1024, 2048, 4096], 400),
    site!(resized by made_and_resized, [3000], 300),
];

/// Objects and bytes, as an account of what was done.
#[derive(Clone, Copy, Default)]
struct Truth {
    objects: f64,
    bytes: f64,
}

impl Truth {
    fn of(blocks: &[Block]) -> Self {
        let bytes = blocks.iter().map(|block| block.layout_of().size() as f64).sum();
        Self { objects: blocks.len() as f64, bytes }
    }
}

/// How often the truth was within one and within two standard errors.
#[derive(Clone, Copy, Default)]
struct Coverage {
    within: [u32; 2],
    of: u32,
}

impl Coverage {
    fn add(&mut self, shown: Estimate, truth: f64) {
        let off = (shown.value - truth).abs();
        for (within, errors) in self.within.iter_mut().zip([1.0, 2.0]) {
            *within += u32::from(off <= errors * shown.standard_error());
        }
        self.of += 1;
    }

    /// Percentages.
    fn shares(&self) -> [f64; 2] {
        self.within.map(|within| 100.0 * f64::from(within) / f64::from(self.of))
    }

    /// Whether both are what they are claimed to be, up to five points; and, in the quick form, up to two
    /// standard errors of the shares themselves, which rest on less there.
    fn is_good(&self, form: Form) -> bool {
        self.shares().iter().zip([68.0f64, 95.0]).all(|(share, claimed)| {
            let error = (claimed * (100.0 - claimed) / f64::from(self.of)).sqrt();
            (share - claimed).abs() <= 5.0 + form.pick(2.0 * error, 0.0)
        })
    }
}

const FIGURES: [&str; 6] =
    ["allocated objects", "bytes", "live objects", "bytes", "growth in objects", "in bytes"];

fn run(_: &Subject, form: Form) -> Outcome {
    let seeds = form.pick(15, 200);
    let mut coverage = [Coverage::default(); FIGURES.len()];
    for seed in 0..seeds {
        session(seed, &mut coverage);
    }
    let fewest = SITES.iter().map(|site| site.expected_samples(INTERVAL)).fold(f64::INFINITY, f64::min);
    let outcome =
        Outcome::new().with(fewest >= 30.0, format!("{seeds} seeds, sites expecting {fewest:.0} and more"));
    FIGURES.iter().zip(coverage).fold(outcome, |outcome, (figure, coverage)| {
        let [one, two] = coverage.shares();
        outcome.with(coverage.is_good(form), format!("{figure} {one:.1} and {two:.1} %"))
    })
}

fn session(seed: u64, coverage: &mut [Coverage; FIGURES.len()]) {
    let recording = Recording::start(Config::default().sample_interval(INTERVAL).seed(seed));
    let mut kept: [Vec<Block>; SITES.len()] = array::from_fn(|_| Vec::new());
    for (site, kept) in SITES.iter().zip(&mut kept) {
        kept.extend(site.blocks(site.count));
    }
    let first = recording.snapshot().unwrap();
    let at_first = kept.each_ref().map(|kept| Truth::of(kept));
    for (site, kept) in SITES.iter().zip(&mut kept) {
        site.free_half(kept);
        kept.extend(site.blocks(site.count));
    }
    let last = recording.snapshot().unwrap();
    let (before, after) = (first.profile(), last.profile());
    let encoded = Decoded::new(&after.to_pprof());
    for ((site, kept), at_first) in SITES.iter().zip(&kept).zip(at_first) {
        let (values, figures) = (encoded.at(site.name), named::figures(&after, site.name));
        let live = |profile| named::live_objects(profile, site.name);
        let growth = growth(&live(&before), &live(&after)).amount;
        let shown = |value: i64, own: Estimate| Estimate { value: value as f64, ..own };
        let at_last = Truth::of(kept);
        let pairs = [
            (shown(values.alloc_objects, figures.alloc.objects), 2.0 * at_first.objects),
            (shown(values.alloc_bytes, figures.alloc.bytes), 2.0 * at_first.bytes),
            (shown(values.live_objects, figures.live.objects), at_last.objects),
            (shown(values.live_bytes, figures.live.bytes), at_last.bytes),
            (growth.objects, at_last.objects - at_first.objects),
            (growth.bytes, at_last.bytes - at_first.bytes),
        ];
        for (coverage, (shown, truth)) in coverage.iter_mut().zip(pairs) {
            coverage.add(shown, truth);
        }
    }
}
