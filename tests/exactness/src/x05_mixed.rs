//! X5: sites that mix sizes, sizes of exactly one interval, large and small in turn.

use allometer_contract::{Block, Decoded, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};

use crate::{expected::Expected, line::Line, statistics::farthest, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X5",
    target: "a site mixing 16 B to 1 MiB, sizes of one interval, large and small in turn: within 1 % pooled, per site",
    parts: |_| const { &[Part::only(run)] },
};

const INTERVAL: u64 = 4 << 10;
const LONG_INTERVAL: u64 = 512 << 10;
/// Far below an interval, so that few of them are sampled, and far above, so that nearly all are.
const SMALL: usize = INTERVAL as usize / 16;
const LARGE: usize = INTERVAL as usize * 16;

#[inline(never)]
fn mixed(size: usize) {
    drop(Block::new(size, 8).unwrap());
}

#[inline(never)]
fn one_interval() {
    drop(Block::new(INTERVAL as usize, 8).unwrap());
}

#[inline(never)]
fn one_long_interval() {
    drop(Block::new(LONG_INTERVAL as usize, 8).unwrap());
}

#[inline(never)]
fn small() {
    drop(Block::new(SMALL, 8).unwrap());
}

#[inline(never)]
fn large() {
    drop(Block::new(LARGE, 8).unwrap());
}

#[inline(never)]
fn in_turn(is_large: bool) {
    drop(Block::new(if is_large { LARGE } else { SMALL }, 8).unwrap());
}

fn mixed_sizes() -> impl Iterator<Item = usize> {
    (4..=20).map(|power| 1 << power)
}

/// What one site was asked for, and what the profiles of all seeds say.
struct Site {
    name: &'static str,
    expected: Expected,
    objects: f64,
    bytes: f64,
}

impl Site {
    fn new(name: &'static str, expected: Expected) -> Self {
        Self { name, expected, objects: 0.0, bytes: 0.0 }
    }

    fn add(&mut self, span: &Decoded) {
        let values = span.at(&format!("x05_mixed::{}", self.name));
        self.objects += values.alloc_objects as f64;
        self.bytes += values.alloc_bytes as f64;
    }
}

fn run(_: &Subject, form: Form) -> Outcome {
    let (seeds, mixes, turns) = form.pick((4, 4000, 20_000), (20, 15_000, 125_000));
    let all = |count: u64| seeds * count;
    let of = |count, size| Expected::of(all(count), size, INTERVAL);
    let mut sites = [
        Site::new("mixed", mixed_sizes().map(|size| of(mixes, size)).sum()),
        Site::new("one_interval", of(turns, INTERVAL as usize)),
        Site::new("small", of(turns, SMALL)),
        Site::new("large", of(turns, LARGE)),
        Site::new("in_turn", of(turns, SMALL) + of(turns, LARGE)),
    ];
    let mut at_long_interval =
        [Site::new("one_long_interval", Expected::of(all(turns), LONG_INTERVAL as usize, LONG_INTERVAL))];
    for seed in 0..seeds {
        let recording = |interval| {
            Recording::start(Config::default().sample_interval(interval).live_heap(false).seed(seed))
        };
        let ((), span) = recording(INTERVAL).during(|| {
            (0..mixes).for_each(|_| mixed_sizes().for_each(mixed));
            for _ in 0..turns {
                one_interval();
            }
            for _ in 0..turns {
                large();
                small();
            }
            for _ in 0..turns {
                in_turn(true);
                in_turn(false);
            }
        });
        sites.iter_mut().for_each(|site| site.add(&span));
        let ((), span) = recording(LONG_INTERVAL).during(|| (0..turns).for_each(|_| one_long_interval()));
        at_long_interval.iter_mut().for_each(|site| site.add(&span));
    }
    outcome(sites.iter().chain(&at_long_interval))
}

fn outcome<'a>(sites: impl Iterator<Item = &'a Site>) -> Outcome {
    let mut outcome = Outcome::new();
    let mut errors = Vec::new();
    for Site { name, expected, objects, bytes } in sites {
        for (what, estimate, truth, variance) in [
            ("objects", objects, expected.objects, expected.objects_variance),
            ("bytes", bytes, expected.bytes, expected.bytes_variance),
        ] {
            let (off, error) = (estimate / truth - 1.0, variance.sqrt() / truth);
            // Fewer requests than the full form's are less exact than the target.
            let good = off.abs() <= 0.01f64.max(3.0 * error) && off.abs() <= 4.0 * error + 1e-6;
            if what == "objects" || !good {
                outcome = outcome.with(good, format!("{name} {what} {:+.2} %", off * 100.0));
            }
            errors.push(error);
        }
    }
    outcome.with(true, format!("SE at most {:.2} %", farthest(errors) * 100.0))
}
