//! X7: the conversion that Go tests its own profiles with.
//!
//! `TestConvertMemProfile` of Go's `runtime/pprof` holds what its profile says of three records at a rate
//! of 512 KiB. The formula is the same one, so the same samples have to give the same figures. Go cuts off
//! fractions, our pprof rounds them: the figures are compared before that, and the pprof with its rounding.

use allometer_contract::{Block, Recording, Values};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};
use allometer_profile::SampleType;

use crate::{line::Line, subject::Subject};

pub(crate) const LINE: Line =
    Line { number: "X7", target: "Go's conversion vectors: exact", parts: |_| const { &[Part::only(run)] } };

const RATE: u64 = 512 << 10;

#[inline(never)]
fn four_of_1024() -> Block {
    Block::new(1024, 8).unwrap()
}

#[inline(never)]
fn one_of_the_rate() -> Block {
    Block::new(RATE as usize, 8).unwrap()
}

#[inline(never)]
fn one_of_the_rate_freed() -> Block {
    Block::new(RATE as usize, 16).unwrap()
}

/// A record of sampled objects, and what Go makes of it.
struct Vector {
    name: &'static str,
    request: fn() -> Block,
    sampled: usize,
    freed: usize,
    go: [i64; 4],
}

const VECTORS: [Vector; 3] = [
    Vector {
        name: "four_of_1024",
        request: four_of_1024,
        sampled: 4,
        freed: 1,
        go: [2050, 2_099_200, 1537, 1_574_400],
    },
    Vector {
        name: "one_of_the_rate",
        request: one_of_the_rate,
        sampled: 1,
        freed: 0,
        go: [1, 829_411, 1, 829_411],
    },
    Vector {
        name: "one_of_the_rate_freed",
        request: one_of_the_rate_freed,
        sampled: 1,
        freed: 1,
        go: [1, 829_411, 0, 0],
    },
];

/// Makes requests until so many were sampled, and keeps those.
fn sampled(recording: &Recording, vector: &Vector) -> Vec<Block> {
    let mut kept = Vec::with_capacity(vector.sampled);
    while kept.len() < vector.sampled {
        let before = recording.stats().unwrap().samples;
        let block = (vector.request)();
        if recording.stats().unwrap().samples > before {
            kept.push(block);
        }
    }
    kept
}

fn run(_: &Subject, _: Form) -> Outcome {
    let (mut equal, mut rounded) = (0, 0);
    let mut outcome = Outcome::new();
    for vector in &VECTORS {
        let recording = Recording::start(Config::default().sample_interval(RATE).seed(1));
        let mut kept = sampled(&recording, vector);
        kept.truncate(vector.sampled - vector.freed);
        let snapshot = recording.snapshot().unwrap();
        let figures = snapshot.totals();
        let unrounded = SampleType::ALL.map(|sample_type| figures.get(sample_type).value);
        let cut = unrounded.map(|figure| figure.trunc() as i64);
        if cut != vector.go {
            outcome = outcome.with(false, format!("{}: {unrounded:?}, Go has {:?}", vector.name, vector.go));
        }
        equal += cut.iter().zip(vector.go).filter(|&(&cut, go)| cut == go).count();
        let Values { alloc_objects, alloc_bytes, live_objects, live_bytes } =
            recording.so_far().at(&format!("x07_go_vectors::{}", vector.name));
        let written = [alloc_objects, alloc_bytes, live_objects, live_bytes];
        let nearest = unrounded.map(|figure| figure.round() as i64);
        rounded += written.iter().zip(nearest).filter(|&(&written, nearest)| written == nearest).count();
        drop(kept);
    }
    outcome
        .with(equal == 12, format!("{equal} of 12 figures equal where Go cuts them"))
        .with(rounded == 12, format!("{rounded} of 12 in the pprof, to the nearest"))
}
