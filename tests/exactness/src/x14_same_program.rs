//! X14: one program, whichever provider it runs on.
//!
//! Four threads index words: strings, vectors that grow, a tree. At interval 1 the program is counted exactly,
//! and that count has to be the same over every provider. At real intervals each figure has to agree with it
//! within its own standard error, so figures of two providers agree with each other. Since seeds are fixed and
//! each thread does the same every time, they even have to be the same, figure by figure.

use std::{collections::BTreeMap, fmt::Write};

use allometer_contract::{Block, Decoded, Recording, Values};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part, Random, Turns, with_crew};
use allometer_profile::Figures;

use crate::{line::Line, named, statistics::farthest, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X14",
    target: "the same program over every provider, real intervals: the same totals within the standard errors",
    parts: |_| const { &[Part::only(run)] },
};

const THREADS: usize = 4;
const INTERVALS: [u64; 3] = [4 << 10, 64 << 10, 512 << 10];
const WORDS: usize = 8000;
const FUNCTION: &str = "x14_same_program::program";

/// Where words stand in a text.
type Index = BTreeMap<String, Vec<u32>>;

/// Makes a text up, indexes it, and keeps the index without its rare words.
#[inline(never)]
fn program(thread: usize) -> Index {
    let mut random = Random::new(thread as u64);
    let mut text = String::new();
    for _ in 0..WORDS {
        // The product makes some words much more frequent than others.
        let word = random.below(60) * random.below(60);
        let _ = write!(text, "{word:x}{} ", &"abcdefghijklmnopqrstuvwxyz"[..word % 26]);
    }
    let mut index = Index::new();
    for (place, word) in (0..).zip(text.split_whitespace()) {
        index.entry(word.to_owned()).or_default().push(place);
    }
    // Some are copied, as a program would that hands them out, and a few are large.
    let copies: Vec<Index> = (0..random.below(4) + 2).map(|_| index.clone()).collect();
    let tables: Vec<Vec<u8>> = (0..40).map(|_| vec![1; 1000 << random.below(9)]).collect();
    drop((copies, tables));
    index.retain(|_, places| places.len() > 3);
    index
}

#[derive(Clone, Copy)]
enum Order {
    /// The program, whose first request is made in turn, so that a seed always gives the same.
    Run(usize),
    Free,
}

struct Programmer<'a> {
    number: usize,
    turns: &'a Turns,
    index: Index,
}

impl Programmer<'_> {
    fn carry_out(&mut self, order: Order) {
        match order {
            Order::Run(session) => {
                let turn = session * THREADS + self.number;
                self.turns.take(turn, || drop(Block::new(1, 1)));
                self.index = program(self.number);
            }
            Order::Free => self.index = Index::new(),
        }
    }
}

/// Sums over sessions at one interval, for allocated objects and bytes, live objects and bytes.
#[derive(Clone, Copy, Default)]
struct Sums {
    off: [f64; 4],
    variance: [f64; 4],
}

fn each(values: Values) -> [i64; 4] {
    [values.alloc_objects, values.alloc_bytes, values.live_objects, values.live_bytes]
}

impl Sums {
    fn add(&mut self, shown: Values, own: Figures, truth: Values) {
        let own = [own.alloc.objects, own.alloc.bytes, own.live.objects, own.live.bytes];
        for (number, own) in own.into_iter().enumerate() {
            self.off[number] += (each(shown)[number] - each(truth)[number]) as f64;
            self.variance[number] += own.variance;
        }
    }
}

fn run(_: &Subject, form: Form) -> Outcome {
    let seeds = form.pick(4, 40);
    let turns = Turns::new();
    let join = |number| Programmer { number, turns: &turns, index: Index::new() };
    with_crew(THREADS, join, Programmer::carry_out, |crew| {
        let (mut sessions, mut left) = (0, 0);
        let mut session = |interval, seed| {
            let recording = Recording::start(Config::default().sample_interval(interval).seed(seed));
            crew.order(Order::Run(sessions));
            sessions += 1;
            let profile = recording.snapshot().unwrap().profile();
            crew.order(Order::Free);
            left += recording.so_far().at(FUNCTION).live_objects;
            (Decoded::new(&profile.to_pprof()).at(FUNCTION), named::figures(&profile, FUNCTION))
        };
        let (truth, _) = session(1, 0);
        let mut outcome = Outcome::new()
            .with(each(truth).iter().all(|&value| value > 1000), format!("exactly {}", shown(truth)));
        let mut same = shown(truth);
        for interval in INTERVALS {
            let mut sums = Sums::default();
            for seed in 0..seeds {
                let (values, own) = session(interval, seed);
                sums.add(values, own, truth);
            }
            let off = sums.off.iter().zip(sums.variance).map(|(off, variance)| off / variance.sqrt());
            let worst = farthest(off);
            let (sum, all) = (sums.off[1], each(truth)[1] as f64 * seeds as f64);
            let figure = format!(
                "at {} KiB worst of 4 totals over {seeds} seeds {worst:+.2} SE, bytes {:+.2} %",
                interval >> 10,
                100.0 * sum / all
            );
            outcome = outcome.with(worst.abs() <= 3.0, figure);
            same.push_str(&format!("; off by {:?}", sums.off));
        }
        outcome.with(left == 0, format!("{left} live at the end")).same_over_providers(same)
    })
}

fn shown(values: Values) -> String {
    let [objects, bytes, live_objects, live_bytes] = each(values);
    format!("{objects} objects, {bytes} B, {live_objects} live, {live_bytes} B")
}
