//! Where a session sits while it runs, and how a hook holds it there without a lock.
//!
//! A hook that has something to record counts itself in, looks whether its session is still the active
//! one, works on the session's tables, and counts itself out. The word that counts also holds the
//! session's number, so that a hook which comes late, to a seat that another session has taken, sees
//! it and leaves. The session's owner is counted like a hook: whoever is last out gives the tables back.
//! Nobody ever waits for anybody.

// unsafe: turns the seat's pointer into the tables that a count keeps alive.
#![allow(unsafe_code)]

use crate::{
    Config, Error,
    capture::Unwinder,
    live::Filter,
    sync::{
        AtomicPtr, AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
        const_unless_modelled,
    },
    tables::{Shared, Tables},
    tag::Names,
};

/// Bits of the state that count holds; the session's number is above them. Number zero: a free seat.
const HOLDS: u32 = 24;
const HOLDS_MASK: u64 = (1 << HOLDS) - 1;

/// A place for one session at a time.
#[derive(Debug)]
pub(crate) struct Seat {
    state: AtomicU64,
    tables: AtomicPtr<Tables>,
    /// Filter memory that the last session here left.
    spare_filter: AtomicUsize,
}

impl Seat {
    const_unless_modelled! {
        pub(crate) fn new() -> Self {
            Self {
                state: AtomicU64::new(0),
                tables: AtomicPtr::new(std::ptr::null_mut()),
                spare_filter: AtomicUsize::new(0),
            }
        }
    }

    /// Takes the seat for session `number`, if it is free: the answer is the owner's hold. The caller
    /// puts the session's tables there before anybody else learns the number.
    pub(crate) fn claim(&self, number: u64) -> Option<Hold<'_>> {
        let taken = self.state.compare_exchange(0, (number << HOLDS) | 1, AcqRel, Relaxed);
        taken.is_ok().then(|| {
            self.tables.store(std::ptr::null_mut(), Release);
            Hold { seat: self, number }
        })
    }

    /// Counts the caller in, if session `number` sits here. Whether it is still the active one is for
    /// the caller to look at, afterwards.
    pub(crate) fn hold(&self, number: u64) -> Option<Hold<'_>> {
        let before = self.state.fetch_add(1, SeqCst);
        let hold = Hold { seat: self, number: before >> HOLDS };
        (hold.number == number).then_some(hold)
    }

    /// Forgets the session that sits here, and everybody who was counted in; its tables are leaked.
    ///
    /// For a forked child: those threads do not exist there, and the one that does may be at work.
    pub(crate) fn forget(&self) {
        self.state.store(0, SeqCst);
    }

    /// The last one out of session `number` gives the tables back.
    fn leave(&self, number: u64) {
        let tables = self.tables.load(Acquire);
        // Others may have been in and out since, and then one of them wins. If the exchange is won, the
        // seat was taken under this number until now, so the pointer is this session's.
        if self.state.compare_exchange(number << HOLDS, 0, AcqRel, Relaxed).is_ok() {
            // SAFETY: stored by `Hold::set_up`; the exchange is won once a session.
            if let Some(tables) = unsafe { Shared::from_raw(tables) } {
                tables.live.filter().discard(&self.spare_filter);
            }
        }
    }
}

/// A session that is held in its seat.
#[derive(Debug)]
pub(crate) struct Hold<'a> {
    seat: &'a Seat,
    number: u64,
}

impl Hold<'_> {
    /// For the owner, once: makes the session's tables and puts them into the seat.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`]: the operating system does not give the address space.
    pub(crate) fn set_up(
        &self,
        config: &Config,
        unwinder: Unwinder,
        names: &'static Names,
    ) -> Result<(), Error> {
        let filter = if config.live_heap {
            let filter = Filter::new(config.max_live_samples, &self.seat.spare_filter);
            filter.ok_or(Error::Memory { what: "the filter of live samples" })?
        } else {
            Filter::none()
        };
        let tables = Shared::new(config, self.number, filter, unwinder, names)?;
        self.seat.tables.store(tables.into_raw(), Release);
        Ok(())
    }

    /// The session's number.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The tables, which were put there before the session's number became known.
    pub(crate) fn tables(&self) -> &Tables {
        // SAFETY: the hold is counted under the session's number, so its tables stay in the seat until
        // it is dropped.
        let tables = unsafe { &*self.seat.tables.load(Acquire) };
        tables.presence.used();
        tables
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        // After a fork the child has another number here, or none, and nothing to count out of.
        let counted = |state: u64| state >> HOLDS == self.number && state & HOLDS_MASK != 0;
        let one_less = |state: u64| counted(state).then(|| state - 1);
        let before = self.seat.state.fetch_update(SeqCst, SeqCst, one_less);
        let last = before.is_ok_and(|state| state & HOLDS_MASK == 1);
        if last && self.number != 0 {
            self.seat.leave(self.number);
        }
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::{sync::AtomicBool, tag::NamesOnce};

    fn sit(seat: &Seat, number: u64) -> Option<Hold<'_>> {
        let owner = seat.claim(number)?;
        let config = Config::default().max_live_samples(100).max_sites(10);
        owner.set_up(&config, Unwinder::NONE, NamesOnce::new().get().unwrap()).unwrap();
        Some(owner)
    }

    #[test]
    fn the_last_one_out_frees_the_seat() {
        let seat = Seat::new();
        let owner = sit(&seat, 5).unwrap();
        assert!(seat.claim(6).is_none() && seat.hold(4).is_none());
        let hook = seat.hold(5).unwrap();
        drop(owner);
        assert!(seat.claim(6).is_none(), "the hook is still there");
        assert_eq!(hook.tables().number, 5);
        drop(hook);
        let owner = seat.claim(6).unwrap();
        assert!(seat.hold(5).is_none(), "a late hook of the session before");
        drop(owner);
    }

    #[test]
    fn a_hold_from_before_a_fork_counts_nothing() {
        let seat = Seat::new();
        let owner = sit(&seat, 5).unwrap();
        let hook = seat.hold(5).unwrap();
        seat.forget();
        drop(owner);
        let _next = sit(&seat, 6).unwrap();
        drop(hook);
        assert_eq!(seat.hold(6).unwrap().tables().number, 6);
    }

    #[test]
    fn hooks_and_sessions_come_and_go() {
        let seat = Seat::new();
        let active = AtomicU64::new(0);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Relaxed) {
                        let number = active.load(Acquire);
                        if let Some(hold) = seat.hold(number)
                            && number != 0
                            && active.load(SeqCst) == number
                        {
                            assert_eq!(hold.tables().number, number);
                        }
                    }
                });
            }
            for number in 1..3000 {
                let owner = loop {
                    match sit(&seat, number) {
                        Some(owner) => break owner,
                        None => std::hint::spin_loop(),
                    }
                };
                active.store(number, SeqCst);
                assert_eq!(owner.tables().number, number);
                active.store(0, SeqCst);
            }
            done.store(true, Relaxed);
        });
        assert!(seat.claim(9000).is_some(), "everybody has left");
    }
}
