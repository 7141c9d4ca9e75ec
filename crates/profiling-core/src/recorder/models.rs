use super::*;
use crate::{
    SiteId, Unwinding,
    live::Entry,
    sync::{Model, together},
    tables::Tables,
};
use std::sync::Arc;

fn config() -> Config {
    let config = Config::default().sample_interval(1).unwinding(Unwinding::Portable).seed(1);
    config.max_live_samples(4).max_sites(1).max_depth(1)
}

fn at(n: usize) -> usize {
    0x7f00_0000_1000 + (n + 2) * 64
}

impl Recorder {
    /// A recorder with a session, whose owner is [`Recorder::owner`].
    fn started() -> Arc<Self> {
        let recorder = Arc::new(Self::new());
        recorder.start_and_leave();
        recorder
    }

    fn start_and_leave(&self) -> u64 {
        let (number, owner) = self.start(&config(), Teller::Hook).unwrap();
        std::mem::forget(owner);
        number
    }

    fn stop_by_number(&self, number: u64) {
        self.stop(number, self.owner(number));
    }

    /// What was left: the owner's count.
    fn owner(&self, number: u64) -> Hold<'_> {
        Hold::left(self.seat(number), number)
    }

    /// As a hook allocates: an object whose size is the number of its session. Answers whether it is in one.
    fn allocate(&self, n: usize) -> bool {
        let Some(hold) = self.hold(self.epoch().number()) else { return false };
        let size = hold.tables().number as usize;
        let entry = Entry { site: SiteId::FULL, size, birth: 0, doublings: 0 };
        assert!(hold.tables().live.take_room() && hold.tables().live.insert(at(n), entry));
        if hold.tables().live.is_ahead(0) {
            self.follow_table(&hold);
        }
        true
    }

    /// As a hook frees.
    fn free(&self, n: usize) {
        if self.look(at(n)).may_be_at(at(n)) {
            self.freed(at(n));
        }
    }

    /// Stops a session that holds nothing of another.
    fn end(&self, number: u64) {
        check_own(self.hold(number).unwrap().tables(), number);
        self.stop_by_number(number);
        self.check_quiet();
    }

    fn check_quiet(&self) {
        assert_eq!((self.epoch(), self.read_by_all.filter.load(Relaxed)), (Epoch::NONE, 0));
        assert_eq!(self.owner.load(Relaxed), 0);
    }
}

fn check_own(tables: &Tables, number: u64) {
    assert_eq!(tables.number, number);
    assert!(tables.live.entries().all(|entry| entry.size as u64 == number));
}

#[test]
fn an_object_is_in_its_own_session_or_in_none() {
    Model::check(|| {
        let recorder = Recorder::started();
        let restart = |recorder: &Recorder| {
            recorder.stop_by_number(1);
            recorder.start_and_leave();
        };
        let hook = |recorder: &Recorder| {
            recorder.allocate(0);
        };
        together(&recorder, [restart, hook]);
        recorder.end(2);
    });
}

#[test]
fn a_hook_is_late_for_the_same_seat() {
    Model::check(|| {
        let recorder = Recorder::started();
        let restart = |recorder: &Recorder| {
            recorder.stop_by_number(1);
            recorder.last_number.fetch_add(SEATS as u64 - 1, Relaxed);
            match recorder.start(&config(), Teller::Hook) {
                Ok((number, owner)) => {
                    recorder.free(0);
                    check_own(owner.tables(), number);
                    recorder.stop(number, owner);
                }
                Err(error) => assert!(matches!(error, Error::HooksStuck { .. })),
            }
        };
        let hook = |recorder: &Recorder| {
            recorder.allocate(0);
        };
        together(&recorder, [restart, hook]);
        recorder.check_quiet();
        let number = recorder.start_and_leave();
        recorder.end(number);
    });
}

#[test]
fn an_object_is_found_as_long_as_its_session_runs() {
    Model::check(|| {
        let recorder = Recorder::started();
        let come = |recorder: &Recorder| assert!(recorder.allocate(0));
        let come_too = |recorder: &Recorder| assert!(recorder.allocate(1));
        together(&recorder, [come, come_too]);
        [0, 1].into_iter().for_each(|n| recorder.free(n));
        assert_eq!(recorder.hold(1).unwrap().tables().live.len(), 0);
        recorder.end(1);
    });
}

#[test]
fn a_free_that_reads_the_grown_word_finds_its_object() {
    Model::check(|| {
        let recorder = Recorder::started();
        assert!(recorder.allocate(0));
        let grow = |recorder: &Recorder| {
            recorder.allocate(1);
        };
        let free = |recorder: &Recorder| {
            assert!(recorder.look(at(0)).may_be_at(at(0)));
            recorder.free(0);
        };
        together(&recorder, [grow, free]);
        recorder.free(1);
        assert_eq!(recorder.hold(1).unwrap().tables().live.len(), 0);
        recorder.end(1);
    });
}

#[test]
fn a_late_growth_leaves_the_word_alone() {
    Model::check(|| {
        let recorder = Recorder::started();
        assert!(recorder.allocate(0) && recorder.allocate(1));
        let grow = |recorder: &Recorder| {
            recorder.allocate(2);
        };
        together(&recorder, [|recorder| recorder.stop_by_number(1), grow]);
        recorder.check_quiet();
    });
}

#[test]
fn one_of_two_starts_makes_a_session() {
    Model::check(|| {
        let recorder = Arc::new(Recorder::new());
        let start = |recorder: &Recorder| match recorder.start(&config(), Teller::Hook) {
            Ok((number, owner)) => {
                assert_eq!(recorder.epoch(), Epoch::first(number));
                recorder.stop(number, owner);
                1
            }
            Err(error) => {
                assert!(matches!(error, Error::AlreadyActive));
                0
            }
        };
        let started: [u32; 2] = together(&recorder, [start, start]);
        assert!(started.iter().sum::<u32>() > 0);
        recorder.check_quiet();
    });
}
