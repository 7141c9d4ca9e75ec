//! X4: every size against every interval.

use allometer_contract::{Block, Decoded, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};

use crate::{
    expected::{Expected, probability},
    line::Line,
    statistics::{anderson_darling_normal, farthest},
    subject::Subject,
};

pub(crate) const LINE: Line = Line {
    number: "X4",
    target: "11 sizes x 4 intervals x 20 seeds: every |z| <= 4, all z Anderson-Darling p > 0.001, degenerate exact",
    parts: |_| const { &[Part::only(run)] },
};

/// A function for each size, so that each is a site of its own.
macro_rules! sites {
    ($($name:ident: $size:expr,)*) => {
        $(
            #[inline(never)]
            fn $name() {
                drop(Block::new($size, 8).unwrap());
            }
        )*

        const SITES: [Site; 11] = [$(Site { name: stringify!($name), size: $size, request: $name },)*];
    };
}

struct Site {
    name: &'static str,
    size: usize,
    request: fn(),
}

sites! {
    b8: 8,
    b32: 32,
    b128: 128,
    b512: 512,
    k2: 2 << 10,
    k8: 8 << 10,
    k32: 32 << 10,
    k128: 128 << 10,
    k512: 512 << 10,
    m2: 2 << 20,
    m16: 16 << 20,
}

/// The last one is exact mode, beside the four.
const INTERVALS: [u64; 5] = [2 << 10, 32 << 10, 128 << 10, 512 << 10, 1];

/// How many hits and misses a cell expects at least.
const AT_LEAST: f64 = 1000.0;
/// Requests in a cell where practically all are sampled. With sizes and intervals that are powers of four
/// apart, at most e⁻¹⁶ of them would not be.
const DEGENERATE: u64 = 1000;

#[derive(Default)]
struct Cells {
    z: Vec<f64>,
    /// Cells in which every request has to be sampled, and those of them in which one was not.
    exact: usize,
    wrong: Vec<String>,
    /// Cells that need more requests than this form makes.
    left_out: usize,
}

/// How many requests of `size` bytes to make, if they are not more than `most`.
fn requests(size: usize, interval: u64, most: u64) -> Option<u64> {
    let p = probability(size, interval);
    if 1.0 - p < 1e-6 {
        return Some(DEGENERATE);
    }
    let count = (1.02 * AT_LEAST / p.min(1.0 - p)).ceil() as u64;
    (count <= most).then_some(count)
}

fn run(_: &Subject, form: Form) -> Outcome {
    let (seeds, most) = form.pick((3, 1 << 20), (20, 1 << 27));
    let mut cells = Cells::default();
    for (group, interval) in (1..).zip(INTERVALS) {
        for seed in 0..seeds {
            let counts = SITES.map(|site| requests(site.size, interval, most));
            let config =
                Config::default().sample_interval(interval).live_heap(false).seed(group << 32 | seed);
            let recording = Recording::start(config);
            let ((), span) = recording.during(|| {
                for (site, count) in SITES.iter().zip(counts) {
                    (0..count.unwrap_or(0)).for_each(|_| (site.request)());
                }
            });
            for (site, count) in SITES.iter().zip(counts) {
                match count {
                    Some(count) => cells.add(&span, site, count, interval),
                    None => cells.left_out += 1,
                }
            }
        }
    }
    cells.outcome()
}

impl Cells {
    fn add(&mut self, span: &Decoded, site: &Site, count: u64, interval: u64) {
        let values = span.at(&format!("x04_sizes::{}", site.name));
        let (objects, bytes, size) = (values.alloc_objects, values.alloc_bytes, site.size as i64);
        let p = probability(site.size, interval);
        let mut fault = |what: &str| {
            self.wrong.push(format!("{size} B at {interval}: {what} {values:?}"));
        };
        // Both are rounded.
        if (bytes - objects * size).abs() > size {
            fault("objects and bytes differ");
        }
        if 1.0 - p < 1e-6 {
            // Each stands for an object and a bit.
            if objects != count as i64 || (bytes - count as i64 * size) as f64 > bytes as f64 * 1e-6 {
                fault("not all");
            }
            self.exact += 1;
        } else {
            self.z.push(Expected::of(count, site.size, interval).objects_off(objects as f64));
        }
    }

    fn outcome(self) -> Outcome {
        let worst = farthest(self.z.iter().copied());
        let p = anderson_darling_normal(&self.z);
        let mut outcome = Outcome::new()
            .with(worst.abs() <= 4.0, format!("{} cells, largest z {worst:+.2}", self.z.len()))
            .with(p > 0.001, format!("Anderson-Darling p {p:.3}"))
            .with(self.wrong.is_empty(), format!("{} of {} degenerate wrong", self.wrong.len(), self.exact));
        if let Some(first) = self.wrong.first() {
            outcome = outcome.with(false, first);
        }
        if self.left_out > 0 {
            outcome = outcome.with(true, format!("{} cells left to the full form", self.left_out));
        }
        outcome
    }
}
