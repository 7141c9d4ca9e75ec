//! X6: vectors that grow by doubling.
//!
//! The block of a vector is resized by `realloc` from 16 B to 64 KiB; the elements do not matter here and
//! stay unwritten. Each step is a request of its own, sampled by its own size, so what is live at the end
//! is known as well as the last step: of `N` objects of 64 KiB, sampled with `p = 1 - exp(-1/8)` at 512 KiB,
//! the standard error is `√((1-p)/(p N))` of the total, which for 20 000 is 1.94 %.

use std::hash::{DefaultHasher, Hash, Hasher};

use allometer_contract::{Block, Decoded, Recording, Values};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};

use crate::{
    Resizing, Scripted,
    expected::{Expected, probability},
    line::Line,
    statistics::{chi_squared, farthest},
    subject::Subject,
};

pub(crate) const LINE: Line = Line {
    number: "X6",
    target: "20 000 vectors doubled from 16 B to 64 KiB at 512 KiB, 20 seeds: mean within 3 SE, chi-squared of \
             the spread, per site; the same profile on every provider; failing calls leave no trace",
    parts: |_| const { &[Part::only(run)] },
};

const INTERVAL: u64 = 512 << 10;
const SEEDS: u64 = 20;

/// A function for each step, so that each is a site of its own.
macro_rules! steps {
    ($($name:ident: $size:expr,)*) => {
        $(
            #[inline(never)]
            fn $name(block: Block) -> Block {
                block.resized($size).unwrap()
            }
        )*

        const STEPS: [Step; 12] = [$(Step { name: stringify!($name), size: $size, grow: $name },)*];
    };
}

struct Step {
    name: &'static str,
    size: usize,
    grow: fn(Block) -> Block,
}

steps! {
    to_32: 32,
    to_64: 64,
    to_128: 128,
    to_256: 256,
    to_512: 512,
    to_1k: 1 << 10,
    to_2k: 2 << 10,
    to_4k: 4 << 10,
    to_8k: 8 << 10,
    to_16k: 16 << 10,
    to_32k: 32 << 10,
    to_64k: 64 << 10,
}

const FIRST: usize = 16;
const LAST: usize = 64 << 10;

#[inline(never)]
fn first() -> Block {
    Block::new(FIRST, 8).unwrap()
}

fn vector() -> Block {
    STEPS.iter().fold(first(), |block, step| (step.grow)(block))
}

/// The sites, by name and size, in the order of the steps.
fn sites() -> impl Iterator<Item = (&'static str, usize)> {
    std::iter::once(("first", FIRST)).chain(STEPS.iter().map(|step| (step.name, step.size)))
}

fn at_sites(span: &Decoded) -> Vec<Values> {
    sites().map(|(name, _)| span.at(&format!("x06_vectors::{name}"))).collect()
}

fn run(subject: &Subject, form: Form) -> Outcome {
    let vectors = form.pick(2000, 20_000);
    let Some(script) = subject.script else {
        return judge(vectors, &profiles(vectors, vector));
    };
    let of = |resizing| {
        profiles(vectors, || {
            // Only while vectors are made: the rest of the program needs no such room.
            script.resize(resizing);
            script.leave_room(LAST);
            let vector = vector();
            script.leave_room(0);
            script.resize(Resizing::InPlace);
            vector
        })
    };
    let in_place = of(Resizing::InPlace);
    let mut outcome = judge(vectors, &in_place);
    for resizing in [Resizing::Moving, Resizing::Alternating] {
        let same = of(resizing) == in_place;
        outcome = outcome.with(same, format!("{resizing:?}: {} profile", same_or_other(same)));
    }
    with_failures(outcome, script, vectors)
}

fn same_or_other(is_same: bool) -> &'static str {
    if is_same { "the same" } else { "another" }
}

/// What the profiles of all seeds say, each by site.
fn profiles(vectors: usize, make: impl Fn() -> Block) -> Vec<Vec<Values>> {
    let profile = |seed| {
        let recording = Recording::start(Config::default().sample_interval(INTERVAL).seed(seed));
        let mut kept = Vec::with_capacity(vectors);
        let ((), span) = recording.during(|| kept.extend((0..vectors).map(|_| make())));
        at_sites(&span)
    };
    (0..SEEDS).map(profile).collect()
}

/// What the profiles are worth.
fn judge(vectors: usize, profiles: &[Vec<Values>]) -> Outcome {
    let all = SEEDS as f64;
    let mut means = Vec::new();
    let mut lowest: f64 = 1.0;
    for (site, (_, size)) in sites().enumerate() {
        let expected = Expected::of(vectors as u64, size, INTERVAL);
        let samples = vectors as f64 * probability(size, INTERVAL);
        let off = profiles.iter().map(|values| expected.objects_off(values[site].alloc_objects as f64));
        // Fewer samples are no normal figure.
        if samples * all >= 10.0 {
            means.push(off.clone().sum::<f64>() / all.sqrt());
        }
        if samples >= 30.0 {
            lowest = lowest.min(chi_squared(off.map(|off| off * off).sum(), profiles.len()));
        }
    }
    let kept = Expected::of(vectors as u64, LAST, INTERVAL);
    let live = || profiles.iter().map(|values| values[STEPS.len()].live_bytes as f64);
    let mean = live().map(|live| kept.bytes_off(live)).sum::<f64>() / all.sqrt();
    let squares: f64 = live().map(|live| kept.bytes_off(live).powi(2)).sum();
    let theory = kept.bytes_variance.sqrt() / kept.bytes;
    let p = chi_squared(squares, profiles.len());
    let elsewhere: i64 =
        profiles.iter().flat_map(|values| &values[..STEPS.len()]).map(|values| values.live_bytes).sum();
    let mut hasher = DefaultHasher::new();
    for values in profiles.iter().flatten() {
        let Values { alloc_objects, alloc_bytes, live_objects, live_bytes } = values;
        [alloc_objects, alloc_bytes, live_objects, live_bytes].hash(&mut hasher);
    }
    let spread = (squares / all).sqrt() * theory;
    let worst = farthest(means);
    Outcome::new()
        .with(mean.abs() <= 3.0, format!("live mean {mean:+.2} SE"))
        .with(p > 0.001, format!("spread {:.2} % (theory {:.2} %, p {p:.3})", spread * 100.0, theory * 100.0))
        .with(worst.abs() <= 3.0, format!("worst site's mean {worst:+.2} SE"))
        .with(lowest > 0.001, format!("lowest p of a site {lowest:.3}"))
        .with(elsewhere == 0, format!("{elsewhere} B live at other sites"))
        .same_over_providers(format!("profiles of {vectors} vectors {:016x}", hasher.finish()))
}

#[inline(never)]
fn refused(script: &Scripted, block: Block) -> Block {
    script.resize(Resizing::Refusing);
    let block = block.resized(100_000).unwrap_err();
    let block = block.resized(9).unwrap_err();
    script.resize(Resizing::InPlace);
    script.refuse(true);
    let nothing = [Block::new(1 << 20, 8), Block::zeroed(5000, 64)];
    script.refuse(false);
    assert!(nothing.iter().all(Option::is_none));
    block
}

/// Vectors with calls that fail before each step: exactly those without at interval 1, and as good as those
/// without at a real interval.
fn with_failures(outcome: Outcome, script: &Scripted, vectors: usize) -> Outcome {
    let make = || {
        let step = |block, step: &Step| refused(script, (step.grow)(refused(script, block)));
        STEPS.iter().fold(first(), step)
    };
    let recording = Recording::exact();
    let mut kept = Vec::with_capacity(100);
    let ((), span) = recording.during(|| kept.extend((0..100).map(|_| make())));
    let trace = span.at("x06_vectors::refused");
    let live = |size| if size == LAST { (100, 100 * size as i64) } else { (0, 0) };
    let exact = sites().map(|(_, size)| Values::new((100, 100 * size as i64), live(size)));
    let is_exact = at_sites(&span).into_iter().eq(exact) && trace == Values::default();
    drop((kept, recording));

    let recording = Recording::start(Config::default().sample_interval(INTERVAL).seed(5));
    let mut kept = Vec::with_capacity(vectors);
    let ((), span) = recording.during(|| kept.extend((0..vectors).map(|_| make())));
    let expected: Expected = sites().map(|(_, size)| Expected::of(vectors as u64, size, INTERVAL)).sum();
    let bytes: i64 = at_sites(&span).iter().map(|values| values.alloc_bytes).sum();
    let off = expected.bytes_off(bytes as f64);
    let trace = span.at("x06_vectors::refused");
    outcome
        .with(is_exact, format!("with failing calls at interval 1: {} profile", same_or_other(is_exact)))
        .with(off.abs() <= 3.0 && trace == Values::default(), format!("at 512 KiB: {off:+.2} SE"))
}
