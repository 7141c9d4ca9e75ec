//! X11: the first sample of a thread that was running when the session started.
//!
//! Each request of a thread has a size of its own, so the size of a live sample says which request it was. The
//! place of a thread's first sample, in its own requested bytes from the start, has to be exponential with the
//! interval as its mean, whatever the session before had left behind. It is known but for the request that it
//! falls into: it is spread evenly over that one's probability, which makes it uniform, exactly, if the
//! claim holds.
//!
//! In half of the starts the threads wait, running, for the session to start: the place counts from their next
//! request. In the other half they request all the time: it counts from the first request that began when the
//! start had returned. Marks have no memory, so the distribution is the same.

use std::{
    array,
    sync::atomic::{AtomicUsize, Ordering::SeqCst},
    thread,
};

use allometer_contract::{Block, Recording};
use allometer_core::Config;
use allometer_lines::{Crew, Form, Outcome, Part, Random, Turns, wait_until, with_crew};

use crate::{line::Line, statistics::kolmogorov_smirnov_uniform, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X11",
    target: "first samples of 4 running threads after 200 starts: exponential (KS p > 0.001), none before",
    parts: |_| const { &[Part::only(run)] },
};

const THREADS: usize = 4;
const INTERVAL: u64 = 32 << 10;
/// Intervals of the session before, as so many sixteenths of this one's.
const BEFORE: [(&str, u64); 3] = [("same", 16), ("longer", 64 * 16), ("shorter", 1)];
/// Requests of a thread before a start have fewer bytes.
const SMALLEST: usize = 1024;
/// Larger than all that come after it.
const FIRST: usize = 16 << 10;
const EARLY: usize = 20;
/// Requests of a thread after a start: 32 intervals, so that one without a sample is out of the question.
const WAITING: usize = 512;
/// The same for a thread that does not wait: 320 intervals, since it goes on while the session starts.
const REQUESTING: usize = 2048;
/// Bytes that have to be left when the start returns, in intervals.
const ENOUGH: f64 = 20.0;

/// The size of a request: no two of a session are equal. The first one is half an interval, so that it would
/// be missed if it were not charged.
fn size(thread: usize, request: usize) -> usize {
    if request == 0 { FIRST + thread } else { SMALLEST + request * THREADS + thread }
}

/// The thread and the request that have this size.
fn whose(size: usize) -> Option<(usize, usize)> {
    if size >= FIRST {
        return Some((size - FIRST, 0));
    }
    let above = size.checked_sub(SMALLEST)?;
    Some((above % THREADS, above / THREADS))
}

/// Bytes of the requests before this one, in intervals.
fn place(thread: usize, request: usize) -> f64 {
    (0..request).map(|before| size(thread, before) as f64).sum::<f64>() / INTERVAL as f64
}

/// What threads are told.
#[derive(Clone, Copy)]
enum Order {
    /// Requests that use up some of a countdown.
    Leave(usize),
    /// Requests before the start, which are kept.
    Early,
    /// The requests after the start, the first of each in turn, so that a seed always gives the same.
    Request { start: usize },
    /// Requests before and after the start.
    GoOn,
    /// Everything that was kept is freed.
    Free,
}

struct Requester<'a> {
    number: usize,
    begun: &'a AtomicUsize,
    done: &'a AtomicUsize,
    turns: &'a Turns,
    kept: Vec<Block>,
}

impl Requester<'_> {
    fn request(&mut self, size: usize) {
        self.kept.push(Block::new(size, 8).unwrap());
    }

    fn carry_out(&mut self, order: Order) {
        let number = self.number;
        match order {
            Order::Leave(count) => (0..count).for_each(|_| drop(Block::new(700, 8).unwrap())),
            Order::Early => (0..EARLY).for_each(|early| self.request(100 + early)),
            Order::Request { start } => {
                let turns = self.turns;
                turns.take(start * THREADS + number, || self.request(size(number, 0)));
                (1..WAITING).for_each(|request| self.request(size(number, request)));
            }
            Order::GoOn => {
                for request in 0..REQUESTING {
                    self.begun.store(request + 1, SeqCst);
                    self.request(size(number, request));
                    self.done.store(request + 1, SeqCst);
                    thread::yield_now();
                }
            }
            Order::Free => {
                self.kept.clear();
                self.begun.store(0, SeqCst);
                self.done.store(0, SeqCst);
            }
        }
    }
}

fn load(counters: &[AtomicUsize; THREADS]) -> [usize; THREADS] {
    counters.each_ref().map(|counter| counter.load(SeqCst))
}

/// What was seen of the starts of one kind.
#[derive(Default)]
struct Seen {
    /// Uniform, if first samples are where they should be; by the interval before.
    figures: [Vec<f64>; BEFORE.len()],
    /// Samples of requests from before the start.
    too_early: u64,
}

impl Seen {
    /// `recording` has just been looked at: requests from `from` on began after the start; those below
    /// `ended` were over before it.
    fn add(
        &mut self,
        (recording, before): (&Recording, usize),
        ended: [usize; THREADS],
        from: [usize; THREADS],
        random: &mut Random,
    ) {
        let (snapshot, stats) = (recording.snapshot().unwrap(), recording.stats().unwrap());
        let mut sampled: [Vec<usize>; THREADS] = array::from_fn(|_| Vec::new());
        for (thread, request) in snapshot.live_samples().iter().filter_map(|sample| whose(sample.size)) {
            sampled[thread].push(request);
        }
        let late = |thread: usize| sampled[thread].iter().filter(move |&&request| request >= ended[thread]);
        let in_time: usize = (0..THREADS).map(|thread| late(thread).count()).sum();
        self.too_early += stats.samples - in_time as u64;
        for (thread, from) in from.into_iter().enumerate() {
            let until = |request| 1.0 - (place(thread, from) - place(thread, request)).exp();
            let left = place(thread, REQUESTING) - place(thread, from);
            if from != 0 && left < ENOUGH {
                continue;
            }
            let first = late(thread).copied().filter(|&request| request >= from).min();
            let figure = first.map_or(1.0, |first| {
                let (low, high) = (until(first), until(first + 1));
                low + random.fraction() * (high - low)
            });
            self.figures[before].push(figure);
        }
    }

    fn judge(&self, outcome: Outcome, kind: &str, least: f64) -> Outcome {
        let all: Vec<f64> = self.figures.iter().flatten().copied().collect();
        let outcome = outcome.with(
            self.too_early == 0,
            format!("{kind}: {} first samples, {} too early", all.len(), self.too_early),
        );
        let named = BEFORE.iter().zip(&self.figures).map(|((name, _), figures)| (*name, figures));
        named.chain([("all", &all)]).fold(outcome, |outcome, (name, figures)| {
            let p = kolmogorov_smirnov_uniform(figures);
            outcome.with(p > least && figures.len() > 30, format!("{name} p = {p:.3}"))
        })
    }
}

fn run(_: &Subject, form: Form) -> Outcome {
    let starts = form.pick(30, 200);
    let (begun, done): ([AtomicUsize; THREADS], [AtomicUsize; THREADS]) = Default::default();
    let turns = Turns::new();
    let join = |number: usize| Requester {
        number,
        begun: &begun[number],
        done: &done[number],
        turns: &turns,
        kept: Vec::with_capacity(EARLY + REQUESTING),
    };
    with_crew(THREADS, join, Requester::carry_out, |crew| {
        let mut random = Random::new(11);
        let (mut waiting, mut requesting) = (Seen::default(), Seen::default());
        for start in 0..starts {
            let before = start % BEFORE.len();
            prepare(crew, start, before, &mut random);
            let recording = begin(start);
            crew.order(Order::Request { start });
            waiting.add((&recording, before), [0; THREADS], [0; THREADS], &mut random);
            drop(recording);
            crew.order(Order::Free);

            prepare(crew, starts + start, before, &mut random);
            crew.give(Order::GoOn);
            let under_way = 10 + random.below(50);
            wait_until(|| load(&done).iter().all(|&done| done > under_way));
            let ended = load(&done);
            let recording = begin(starts + start);
            let from = load(&begun);
            crew.wait();
            requesting.add((&recording, before), ended, from, &mut random);
            drop(recording);
            crew.order(Order::Free);
        }
        let outcome = waiting.judge(Outcome::new(), &format!("{starts} starts, threads waiting"), 0.001);
        // Where threads race with the start no seed repeats anything: a step of CI must not be wrong once in
        // two hundred times.
        requesting.judge(outcome, "requesting", form.pick(1e-6, 0.001))
    })
}

/// Another session, which leaves something behind in the threads, and requests outside any.
fn prepare(crew: &Crew<Order>, number: usize, before: usize, random: &mut Random) {
    let interval = INTERVAL / 16 * BEFORE[before].1;
    let recording =
        Recording::start(Config::default().sample_interval(interval).seed(number as u64 + 1_000_000));
    crew.order(Order::Leave(random.below(60)));
    drop(recording);
    crew.order(Order::Early);
}

fn begin(number: usize) -> Recording {
    Recording::start(Config::default().sample_interval(INTERVAL).seed(number as u64))
}
