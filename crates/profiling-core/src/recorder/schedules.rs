//! Threads that allocate, free, resize and hand objects on, while sessions start and stop, against an account.

use super::*;
use crate::{
    Unwinding,
    record::{Before, Granted},
    sampler::{Weight, next_random},
    seat::Hold,
    sync::Schedules,
    tables::{Shared, Tables},
};
use shuttle::thread;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

const WORKERS: u64 = 3;
/// Of each worker.
const OPERATIONS: usize = 150;
const SESSIONS: usize = 3;
/// Requests in a session, or some more: all but the last end while the workers are at work.
const LENGTH: usize = 80;
/// Operations after which a worker lets others go on; by priority nobody else would.
const TURN: usize = 8;

/// Told apart from all others of an execution by its size.
struct Object {
    address: usize,
    size: usize,
}

/// What a session has to hold.
#[derive(Default)]
struct Account {
    samples: u64,
    allocated: Weight,
    sizes: BTreeSet<usize>,
}

/// What the program knows. Nobody yields while it is locked.
#[derive(Default)]
struct Known {
    /// The last one that was freed is handed out first.
    free: Vec<usize>,
    addresses: usize,
    sizes: usize,
    handed_on: Vec<Object>,
    accounts: BTreeMap<u64, Account>,
}

struct Program {
    recorder: Recorder,
    known: Mutex<Known>,
}

fn sum(one: Weight, other: Weight) -> Weight {
    Weight {
        objects: one.objects + other.objects,
        bytes: one.bytes + other.bytes,
        objects_variance: one.objects_variance + other.objects_variance,
        bytes_variance: one.bytes_variance + other.bytes_variance,
    }
}

impl Known {
    fn take_address(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.addresses += 1;
            0x7f00_0000_1000 + self.addresses * 64
        })
    }

    fn next_size(&mut self) -> usize {
        self.sizes += 1;
        16 + self.sizes
    }
}

impl Program {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }

    /// A request that `hold` is going to count.
    fn account(&self, hold: &Hold<'_>, size: usize, doublings: u32) {
        let tables = hold.tables();
        let mut known = self.known();
        let account = known.accounts.entry(tables.number).or_default();
        account.samples += 1;
        account.allocated = sum(account.allocated, tables.interval.doubled(doublings).weight(size));
        assert!(account.sizes.insert(size));
    }

    /// As the hook allocates.
    fn allocate(&self, thread: &Thread) -> Object {
        let (recorder, size) = (&self.recorder, self.known().next_size());
        let epoch = recorder.epoch();
        let due = epoch != Epoch::NONE && thread.charge(epoch, size);
        let picked = if due { recorder.pick(thread, epoch, size) } else { None };
        let address = self.known().take_address();
        if let Some(Pick { hold, doublings }) = picked {
            self.account(&hold, size, doublings);
            let granted = Granted { address, size, doublings, frame: Registers::here() };
            if hold.tables().record(thread, granted, Before::Nothing) {
                recorder.follow_table(&hold);
            }
        }
        Object { address, size }
    }

    /// As the hook frees.
    fn free(&self, object: Object) {
        let look = self.recorder.look(object.address);
        if !look.is_empty() && look.may_be_at(object.address) {
            self.recorder.freed(object.address);
        }
        self.known().free.push(object.address);
    }

    /// As the hook resizes. `resize` is the allocator's.
    fn resize(
        &self,
        thread: &Thread,
        object: Object,
        resize: fn(&mut Known, usize) -> Option<usize>,
    ) -> Object {
        let (recorder, size) = (&self.recorder, self.known().next_size());
        let resize = || resize(&mut self.known(), object.address);
        let epoch = recorder.epoch();
        let due = epoch != Epoch::NONE && thread.charge(epoch, size);
        let follows = epoch != Epoch::NONE && (due || !recorder.look(object.address).is_empty());
        let reallocation =
            if follows { recorder.reallocating(thread, epoch, object.address, size, due) } else { None };
        let address = resize();
        match (reallocation, address) {
            (Some(reallocation), None) => reallocation.failed(),
            (Some(reallocation), Some(address)) => {
                let request = reallocation.request();
                request.iter().for_each(|(hold, doublings)| self.account(hold, size, *doublings));
                let (hold, is_ahead) = reallocation.succeeded(thread, address, size, Registers::here());
                if is_ahead {
                    recorder.follow_table(&hold);
                }
            }
            (None, _) => {}
        }
        address.map_or(object, |address| Object { address, size })
    }

    fn work(&self, seed: u64) {
        let (hook, mut state, mut own) = (Thread::new(), seed, Vec::new());
        let mut random = |below: usize| {
            let (next, random) = next_random(state);
            state = next;
            (random >> 32) as usize % below
        };
        for operation in 0..OPERATIONS {
            if operation % TURN == 0 {
                thread::yield_now();
            }
            let some = if own.is_empty() { None } else { Some(random(own.len())) };
            match (random(10), some) {
                (4 | 5, Some(some)) => self.free(own.swap_remove(some)),
                (6, Some(some)) => {
                    let object = own.swap_remove(some);
                    self.known().handed_on.push(object);
                }
                (7, _) => {
                    let object = self.known().handed_on.pop();
                    object.into_iter().for_each(|object| self.free(object));
                }
                (kind @ (8 | 9), Some(some)) => {
                    let object = own.swap_remove(some);
                    let moves = |known: &mut Known, old| {
                        let new = known.take_address();
                        known.free.push(old);
                        Some(new)
                    };
                    let resize = match (kind, random(2)) {
                        (8, _) => moves,
                        (_, 0) => |_: &mut Known, old| Some(old),
                        _ => |_: &mut Known, _| None,
                    };
                    own.push(self.resize(&hook, object, resize));
                }
                _ => own.push(self.allocate(&hook)),
            }
        }
        own.into_iter().for_each(|object| self.free(object));
    }
}

/// All that was counted in a session is its own, and all of it is there.
fn check_account(tables: &Tables, account: &Account) {
    let sites = || tables.sites.ids().map(|site| tables.sites.counters(site));
    assert_eq!(sites().map(|site| site.samples.load(Relaxed)).sum::<u64>(), account.samples);
    let allocated = sites().map(|site| site.alloc.load()).fold(Weight::default(), sum);
    assert_eq!(allocated, account.allocated);
    let entries: Vec<_> = tables.live.entries().collect();
    let sizes: BTreeSet<usize> = entries.iter().map(|entry| entry.size).collect();
    assert!(sizes.len() == entries.len() && sizes.is_subset(&account.sizes));
    assert_eq!(tables.live.len(), entries.len());
    let live = sites().map(|site| site.live.load()).fold(Weight::default(), sum);
    assert_eq!(live, entries.iter().map(|entry| tables.weight(*entry)).fold(Weight::default(), sum));
}

fn run(interval: u64, max_live_samples: usize) {
    let config = Config::default().sample_interval(interval).unwinding(Unwinding::Portable).seed(1);
    let config = config.max_live_samples(max_live_samples).max_sites(4).max_depth(2);
    let program = Arc::new(Program { recorder: Recorder::new(), known: Mutex::default() });
    let recorder = &program.recorder;
    let start = || loop {
        match recorder.start(&config, Teller::Hook) {
            Ok((number, owner)) => break (number, Shared::of(owner.tables()), owner),
            Err(error) => assert!(matches!(error, Error::HooksStuck { .. }), "{error:?}"),
        }
        thread::yield_now();
    };
    let workers: Vec<_> = (1..=WORKERS)
        .map(|seed| {
            let program = Arc::clone(&program);
            thread::spawn(move || program.work(seed))
        })
        .collect();
    let mut ended = Vec::new();
    for session in 1..SESSIONS {
        let (number, tables, owner) = start();
        while program.known().sizes < session * LENGTH {
            thread::yield_now();
        }
        recorder.stop(number, owner);
        ended.push(tables);
    }
    let (number, last, owner) = start();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    let left = std::mem::take(&mut program.known().handed_on);
    left.into_iter().for_each(|object| program.free(object));

    let known = program.known();
    assert_eq!(known.free.len(), known.addresses, "all is freed");
    assert_eq!(last.live.len(), 0);
    let none = Account::default();
    for tables in ended.iter().chain([&last]) {
        check_account(tables, known.accounts.get(&tables.number).unwrap_or(&none));
    }
    assert!(known.accounts.keys().all(|of| *of == number || ended.iter().any(|tables| tables.number == *of)));
    recorder.stop(number, owner);
    assert_eq!((recorder.epoch(), recorder.read_by_all.filter.load(Relaxed)), (Epoch::NONE, 0));
}

/// Every request is counted, and the filter grows.
fn exact() {
    run(1, 64);
}

/// The table is thinned, again and again.
fn thinned() {
    run(64, 8);
}

#[test]
fn every_request_is_counted_at_random() {
    Schedules { count: 1000 }.at_random(exact);
}

#[test]
fn every_request_is_counted_by_priority() {
    Schedules { count: 1000 }.by_priority(exact);
}

#[test]
fn what_is_thinned_adds_up_at_random() {
    Schedules { count: 1000 }.at_random(thinned);
}

#[test]
fn what_is_thinned_adds_up_by_priority() {
    Schedules { count: 1000 }.by_priority(thinned);
}
