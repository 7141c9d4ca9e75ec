//! X13: blocks that one thread makes, another resizes and a third frees, at interval 1.
//!
//! Threads put their blocks into places that all of them take from. Beside each change they keep an account;
//! every now and then all of them stand still, and the profile has to agree with the account in every object
//! and byte. Over the allocator that does as it is told, freed addresses are handed on at once, to whichever
//! thread asks next, and reallocs move, stay, and fail.

use std::{
    array,
    hint::black_box,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use allometer_contract::{Block, Recording};
use allometer_core::Config;
use allometer_lines::{Crew, Form, Outcome, Part, Random, with_crew};

use crate::{Resizing, account::Account, line::Line, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X13",
    target: "frees and reallocs across 8 threads, 30 s, interval 1: 0 error at every quiet point, 0 at the end",
    parts: |_| const { &[Part::only(run)] },
};

const THREADS: usize = 8;
/// Few, so that blocks change hands all the time.
const PLACES: usize = 64;
const LARGEST: usize = 250;
/// Time between two quiet points.
const BUSY: Duration = Duration::from_millis(120);

#[inline(never)]
fn made(size: usize) -> Block {
    black_box("made");
    Block::new(size, 8).unwrap()
}

#[inline(never)]
fn zeroed(size: usize) -> Block {
    black_box("zeroed");
    Block::zeroed(size, 16).unwrap()
}

#[inline(never)]
fn resized(block: Block, size: usize) -> Result<Block, Block> {
    black_box("resized");
    block.resized(size)
}

const SITES: [&str; 3] = ["x13_handed_on::made", "x13_handed_on::zeroed", "x13_handed_on::resized"];
const MADE: usize = 0;
const ZEROED: usize = 1;
const RESIZED: usize = 2;

/// A block and the site that made it.
struct Held {
    block: Block,
    site: usize,
}

impl Held {
    fn size(&self) -> usize {
        self.block.layout_of().size()
    }
}

/// Where threads meet.
struct Market {
    places: [Mutex<Option<Held>>; PLACES],
    accounts: [Account; SITES.len()],
    /// Whether everybody shall stand still.
    quiet: AtomicBool,
}

#[derive(Clone, Copy)]
enum Order {
    /// Until it shall be quiet.
    Trade,
    /// Every place, by whoever comes first.
    Clear,
}

impl Market {
    fn new() -> Self {
        Self {
            places: array::from_fn(|_| Mutex::new(None)),
            accounts: Default::default(),
            quiet: AtomicBool::new(false),
        }
    }

    /// Puts something into a place, and answers what was there.
    fn exchange(&self, place: usize, new: Option<Held>) -> Option<Held> {
        std::mem::replace(&mut *self.places[place].lock().unwrap_or_else(PoisonError::into_inner), new)
    }

    fn make(&self, random: &mut Random) -> Held {
        let (site, size) = (random.below(2), 1 + random.below(LARGEST));
        let block = if site == ZEROED { zeroed(size) } else { made(size) };
        self.accounts[site].allocated(size);
        Held { block, site }
    }

    fn resize(&self, held: Held, random: &mut Random) -> Held {
        let (Held { block, site }, size) = (held, 1 + random.below(LARGEST));
        let old = block.layout_of().size();
        match resized(block, size) {
            Ok(block) => {
                self.accounts[site].freed(old);
                self.accounts[RESIZED].allocated(size);
                Held { block, site: RESIZED }
            }
            Err(block) => Held { block, site },
        }
    }

    fn free(&self, held: Option<Held>) {
        if let Some(held) = held {
            self.accounts[held.site].freed(held.size());
        }
    }

    fn carry_out(&self, random: &mut Random, order: Order) {
        match order {
            Order::Trade => {
                while !self.quiet.load(SeqCst) {
                    let taken = self.exchange(random.below(PLACES), None);
                    let new = match taken {
                        None => Some(self.make(random)),
                        Some(held) if random.below(3) > 0 => Some(self.resize(held, random)),
                        freed => {
                            self.free(freed);
                            None
                        }
                    };
                    self.free(self.exchange(random.below(PLACES), new));
                }
            }
            Order::Clear => (0..PLACES).for_each(|place| self.free(self.exchange(place, None))),
        }
    }
}

fn run(subject: &Subject, form: Form) -> Outcome {
    if let Some(script) = subject.script {
        script.hand_on();
    }
    let time = Duration::from_millis(form.pick(1500, 30_000));
    let market = Market::new();
    let join = |number| Random::new(number as u64);
    let carry_out = |random: &mut Random, order| market.carry_out(random, order);
    with_crew(THREADS, join, carry_out, |crew| {
        let recording = Recording::start(Config::default().sample_interval(1));
        let started = Instant::now();
        let (mut points, mut errors) = (0, 0);
        while points == 0 || started.elapsed() < time {
            trade(crew, &market, subject);
            points += 1;
            errors += difference(&market, &recording);
        }
        crew.order(Order::Clear);
        let end = recording.so_far();
        let left: i64 = SITES.iter().map(|site| end.at(site).live_objects + end.at(site).live_bytes).sum();
        errors += difference(&market, &recording);
        let stats = recording.stats().unwrap();
        let losses = stats.site_overflow.samples + stats.untracked.samples;
        let calls: i64 = SITES.iter().map(|site| end.at(site).alloc_objects).sum();
        let resized = end.at(SITES[RESIZED]).alloc_objects;
        let made = end.at(SITES[MADE]).alloc_objects;
        Outcome::new()
            .with(made > 0 && resized > 0, format!("{calls} requests, {resized} of them reallocs"))
            .with(errors == 0, format!("{errors} off at {points} quiet points and the end"))
            .with(left == 0, format!("{left} left at the end"))
            .with(losses == 0, format!("{losses} losses"))
    })
}

/// Lets threads trade for a while; reallocs are answered in each way that the allocator can be told to.
fn trade(crew: &Crew<Order>, market: &Market, subject: &Subject) {
    market.quiet.store(false, SeqCst);
    crew.give(Order::Trade);
    for resizing in [Resizing::Moving, Resizing::InPlace, Resizing::Refusing, Resizing::Alternating] {
        // Nobody but the traders asks for anything meanwhile, and they know what to do with a refusal.
        subject.script.inspect(|script| script.resize(resizing));
        thread::sleep(BUSY / 4);
    }
    market.quiet.store(true, SeqCst);
    crew.wait();
}

/// By how much the profile and the accounts disagree, in objects and bytes of any kind.
fn difference(market: &Market, recording: &Recording) -> u64 {
    let profile = recording.so_far();
    let off = |(site, account): (&&str, &Account)| {
        let (shown, wanted) = (profile.at(site), account.values());
        shown.alloc_objects.abs_diff(wanted.alloc_objects)
            + shown.alloc_bytes.abs_diff(wanted.alloc_bytes)
            + shown.live_objects.abs_diff(wanted.live_objects)
            + shown.live_bytes.abs_diff(wanted.live_bytes)
    };
    SITES.iter().zip(&market.accounts).map(off).sum()
}
