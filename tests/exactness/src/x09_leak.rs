//! X9: a leak of 50 MiB in a steady heap of 1 GiB under 10 GiB of churn.
//!
//! Half of the steady heap belongs to the site that leaks and stays as it is; the rest belongs to 124 other
//! sites, which replace their objects several times over, so that each of them shows some growth, by chance.
//! If the errors of two snapshots were simply added, the leak would be lost in the noise of what did not
//! change at all.

use std::hint::black_box;

use allometer_contract::{Block, Decoded, Recording};
use allometer_core::{Config, Snapshot};
use allometer_lines::{Form, Outcome, Part};
use allometer_views::{Basis, DiffRow, FALSE_DISCOVERY_RATE, diff};

use crate::{expected::Expected, line::Line, named, paths::follow, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X9",
    target: "50 MiB leak in 1 GiB under 10 GiB of churn at 512 KiB: found; no other site significant at 5 % FDR",
    parts: |_| const { &[Part::only(run)] },
};

const INTERVAL: u64 = 512 << 10;
const MIB: usize = 1 << 20;

/// What the site that leaks holds all the time, and by how much it grows.
const HELD: usize = 512 * MIB;
const LEAKED: usize = 50 * MIB;
const LEAK_SIZE: usize = 16 << 10;

/// Of the others: how many hold how much.
const OTHERS: [(usize, usize); 3] = [(8, 32 * MIB), (20, 8 * MIB), (96, MIB)];
const SIZES: [usize; 6] = [2 << 10, 8 << 10, 32 << 10, 128 << 10, 16 << 10, 64 << 10];

/// In each round every other site makes as much as it holds and a quarter more: what it holds is replaced by
/// the quarter, the rest is freed at once.
const ROUNDS: usize = 16;

#[inline(never)]
fn leaking() -> Block {
    black_box(Block::new(LEAK_SIZE, 8).unwrap())
}

/// A site that does not leak, and what it holds.
struct Steady {
    path: usize,
    size: usize,
    holds: usize,
    held: Vec<Block>,
    /// The object to be replaced next.
    next: usize,
}

impl Steady {
    fn new(number: usize, bytes: usize) -> Self {
        let size = SIZES[number % SIZES.len()];
        let holds = bytes / size;
        // Eight turns each.
        Self { path: 256 + number, size, holds, held: Vec::with_capacity(holds), next: 0 }
    }

    /// One round; the first one fills what is held. All objects are made by the same call, since a stack is a
    /// site and a site shall not grow at the expense of another.
    fn work(&mut self, round: usize) {
        let objects = if round == 0 { self.holds } else { self.holds + self.holds / 4 };
        for number in 0..objects {
            let block = follow(self.path, self.size);
            if round == 0 {
                self.held.push(block);
            } else if number % 5 == 0 {
                self.held[self.next] = block;
                self.next = (self.next + 1) % self.holds;
            }
        }
    }
}

/// What one session found.
struct Found {
    leak: Option<DiffRow>,
    /// By how much the pprofs say that the leaking site grew.
    growth: f64,
    /// That in standard errors of two independent figures.
    added: f64,
    others: usize,
}

fn run(_: &Subject, form: Form) -> Outcome {
    let seeds = form.pick(1, 40);
    let found: Vec<Found> = (0..seeds).map(session).collect();
    let count = found.iter().filter(|found| found.leak.is_some()).count();
    let significance =
        |row: &DiffRow| row.growth.amount.bytes.value / row.growth.amount.bytes.standard_error();
    let significances = found.iter().filter_map(|found| found.leak.as_ref().map(significance));
    let least = significances.reduce(f64::min).unwrap_or_default();
    let leaked = Expected::of((LEAKED / LEAK_SIZE) as u64, LEAK_SIZE, INTERVAL);
    let mean = found.iter().map(|found| found.growth).sum::<f64>() / seeds as f64;
    let off = leaked.bytes_off(mean) * (seeds as f64).sqrt();
    let added = found.iter().map(|found| found.added).sum::<f64>() / seeds as f64;
    let wrong = |found: &Found| {
        found.others as f64 / (found.others + usize::from(found.leak.is_some())).max(1) as f64
    };
    let rate = found.iter().map(wrong).sum::<f64>() / seeds as f64;
    Outcome::new()
        .with(count == found.len(), format!("found in {count} of {seeds} seeds, by {least:.1} SE and more"))
        .with(off.abs() <= 3.0, format!("{:.1} MiB ({off:+.2} SE)", mean / MIB as f64))
        .with(true, format!("{added:.1} SE if variances were added"))
        .with(
            found[0].others == 0,
            format!("{} other sites significant with the first seed", found[0].others),
        )
        .with(rate <= FALSE_DISCOVERY_RATE, format!("false discovery rate {:.1} %", rate * 100.0))
}

fn session(seed: u64) -> Found {
    let recording = Recording::start(Config::default().sample_interval(INTERVAL).seed(seed));
    let others = OTHERS.iter().flat_map(|&(count, bytes)| (0..count).map(move |_| bytes));
    let mut others: Vec<Steady> =
        (0..).zip(others).map(|(number, bytes)| Steady::new(number, bytes)).collect();
    let mut leak = Vec::with_capacity((HELD + LEAKED) / LEAK_SIZE);
    let mut before = None;
    for round in 0..=ROUNDS {
        others.iter_mut().for_each(|site| site.work(round));
        let held = (HELD + LEAKED * round / ROUNDS) / LEAK_SIZE;
        leak.extend((leak.len()..held).map(|_| leaking()));
        if round == 0 {
            before = Some(recording.snapshot().unwrap());
        }
    }
    let (before, after) = (before.unwrap(), recording.snapshot().unwrap());
    look(&before, &after)
}

fn look(before: &Snapshot, after: &Snapshot) -> Found {
    const LEAKING: &str = "x09_leak::leaking";
    let (before, after) = (before.profile(), after.profile());
    let diff = diff(&before, &after);
    assert_eq!(diff.basis, Basis::SharedSamples);
    let is_leak = |row: &DiffRow| row.stack.iter().any(|function| function.ends_with(LEAKING));
    let (leak, others): (Vec<_>, Vec<_>) = diff.rows.into_iter().partition(is_leak);
    let live = |profile: &[u8]| Decoded::new(profile).at(LEAKING).live_bytes as f64;
    let growth = live(&after.to_pprof()) - live(&before.to_pprof());
    let variance = |profile| named::figures(profile, LEAKING).live.bytes.variance;
    let added = growth / (variance(&before) + variance(&after)).sqrt();
    Found { leak: leak.into_iter().next(), growth, added, others: others.len() }
}
