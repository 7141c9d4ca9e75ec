//! X10: nothing is lost under load.
//!
//! At an interval of 1 KiB a request of 64 KiB is picked but once in e⁶⁴ times not: so the number of such
//! requests is the number of hits, and each that is missing was lost. Smaller ones are held against what was
//! requested. Then the tables are made too small on purpose, and what is recorded and what is counted as lost
//! have to add up to the hits.

use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::Duration,
};

use allometer_contract::{Block, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part, Random, with_crew};

use crate::{account::Account, line::Line, paths::follow, sites::functions, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X10",
    target: "defaults at 1 KiB, 8 threads, 10 s: 0 lost; totals within 0.5 %; recorded + losses = hits",
    parts: |_| const { &[Part::only(run)] },
};

const THREADS: usize = 8;
const INTERVAL: u64 = 1 << 10;
/// Sizes that are always picked.
const SURE: usize = 64 << 10;
/// Blocks that a thread holds at most.
const HELD: usize = 256;

functions!(sure, likely);

fn run(_: &Subject, form: Form) -> Outcome {
    let outcome = under_load(Duration::from_millis(form.pick(1500, 10_000)));
    let outcome = beyond_the_sites(outcome, form.pick(2000, 20_000));
    beyond_the_live_samples(outcome, form.pick(2000, 20_000))
}

/// What was requested of blocks that are always picked, and of others.
#[derive(Default)]
struct Accounts {
    sure: Account,
    likely: Account,
    stop: AtomicBool,
}

impl Accounts {
    fn of(&self, block: &Block) -> &Account {
        if block.layout_of().size() < SURE { &self.likely } else { &self.sure }
    }
}

#[derive(Clone, Copy)]
enum Order {
    /// Until it is told to stop.
    Churn,
    Free,
}

/// A thread that replaces blocks of its own.
struct Churner<'a> {
    accounts: &'a Accounts,
    random: Random,
    held: Vec<Option<Block>>,
}

impl Churner<'_> {
    fn put(&mut self, slot: usize, block: Option<Block>) {
        block.as_ref().inspect(|block| self.accounts.of(block).allocated(block.layout_of().size()));
        if let Some(old) = std::mem::replace(&mut self.held[slot], block) {
            self.accounts.of(&old).freed(old.layout_of().size());
        }
    }

    fn carry_out(&mut self, order: Order) {
        match order {
            Order::Churn => {
                while !self.accounts.stop.load(SeqCst) {
                    let slot = self.random.below(HELD);
                    let block = if self.random.below(8) == 0 {
                        sure(SURE + self.random.below(1000))
                    } else {
                        likely(256 + self.random.below(8000))
                    };
                    self.put(slot, Some(block));
                }
            }
            Order::Free => (0..HELD).for_each(|slot| self.put(slot, None)),
        }
    }
}

fn under_load(duration: Duration) -> Outcome {
    let accounts = Accounts::default();
    let join = |number: usize| Churner {
        accounts: &accounts,
        random: Random::new(number as u64),
        held: (0..HELD).map(|_| None).collect(),
    };
    with_crew(THREADS, join, Churner::carry_out, |crew| {
        let recording = Recording::start(Config::default().sample_interval(INTERVAL));
        crew.give(Order::Churn);
        thread::sleep(duration);
        accounts.stop.store(true, SeqCst);
        crew.wait();
        let (stats, snapshot) = (recording.stats().unwrap(), recording.snapshot().unwrap());
        let recorded: u64 = snapshot.since_start().sites().map(|site| site.samples).sum();
        let profile = recording.so_far();
        let (got, wanted) = (profile.at("x10_lossless::sure"), accounts.sure.values());
        let lost = wanted.alloc_objects - got.alloc_objects;
        let (shown, requested) = (profile.at("x10_lossless::likely"), accounts.likely.values());
        let off = |shown: i64, requested: i64| 100.0 * (shown as f64 / requested as f64 - 1.0);
        let objects = off(shown.alloc_objects, requested.alloc_objects);
        let bytes = off(shown.alloc_bytes, requested.alloc_bytes);
        let uncounted = stats.samples.abs_diff(recorded);
        let losses = stats.site_overflow.samples + stats.untracked.samples;
        crew.order(Order::Free);
        let end = recording.so_far();
        let left: i64 =
            ["sure", "likely"].iter().map(|name| end.at(&format!("x10_lossless::{name}")).live_objects).sum();
        Outcome::new()
            .with(stats.samples > 0, format!("{} samples by {THREADS} threads", stats.samples))
            .with(got == wanted, format!("{lost} of {} sure hits lost", wanted.alloc_objects))
            .with(losses == 0 && uncounted == 0, format!("{losses} losses, {uncounted} samples at no site"))
            .with(objects.abs() <= 0.5, format!("objects {objects:+.2} %"))
            .with(bytes.abs() <= 0.5, format!("bytes {bytes:+.2} %"))
            .with(left == 0, format!("{left} live at the end"))
    })
}

/// 64 stacks a thread where there is room for eight sites: only sure hits, and nobody else requests anything.
fn beyond_the_sites(outcome: Outcome, each: usize) -> Outcome {
    let requests = |_: &mut (), (): ()| (0..each).for_each(|number| drop(follow(64 + number % 64, SURE)));
    with_crew(
        THREADS,
        |_| (),
        requests,
        |crew| {
            let recording = Recording::start(Config::default().sample_interval(INTERVAL).max_sites(8));
            crew.order(());
            let stats = recording.stats().unwrap();
            let profile = recording.so_far();
            let lost = profile.at("[site table full]").alloc_objects;
            let named = profile.total().alloc_objects - lost;
            let hits = (THREADS * each) as i64;
            let good = named + lost == hits
                && stats.samples as i64 == hits
                && stats.site_overflow.samples as i64 == lost
                && lost > 0
                && named > 0;
            outcome.with(good, format!("room for 8 sites: {named} recorded + {lost} counted of {hits}"))
        },
    )
}

/// More objects than the live table has room for, at interval 1, where it is not thinned.
fn beyond_the_live_samples(outcome: Outcome, each: usize) -> Outcome {
    let keep = |kept: &mut Vec<Block>, (): ()| kept.extend((0..each).map(|_| sure(100)));
    with_crew(
        THREADS,
        |_| Vec::with_capacity(each),
        keep,
        |crew| {
            let recording = Recording::start(Config::default().sample_interval(1).max_live_samples(1000));
            crew.order(());
            let stats = recording.stats().unwrap();
            let profile = recording.so_far();
            let live = profile.at("x10_lossless::sure").live_objects;
            let (lost, hits) = (stats.untracked.samples as i64, (THREADS * each) as i64);
            let strange = profile.total().alloc_objects - hits;
            let good = live + lost == hits && lost > 0 && live > 0 && stats.untracked.objects == lost as f64;
            outcome
                .with(good, format!("room for 1000 live samples: {live} followed + {lost} counted of {hits}"))
                .with(strange == 0, format!("{strange} requests that nobody made"))
        },
    )
}
