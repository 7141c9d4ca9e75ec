//! The sampler's state as one value: sessions that come and go, and what happens to a request.

use allometer_provider::Provider;

use crate::{
    Config, Error,
    capture::{self, Registers, UnwinderOnce},
    epoch::Epoch,
    giants::NO_LIMIT,
    live::{FilterWord, Look},
    probe::{Installed, Request},
    reallocation::Reallocation,
    seat::{Hold, Seat},
    sync::{
        AtomicI64, AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
        array_of, const_unless_modelled, sized,
    },
    tag::{Names, NamesOnce},
    thread::Thread,
};

/// The state of a program's sampler. A program has one, in [`crate::process`].
#[derive(Debug)]
pub(crate) struct Recorder {
    read_by_all: ReadByAll,
    /// The session that is being started, runs, or is being stopped; zero: none.
    owner: AtomicU64,
    last_number: AtomicU64,
    /// Requests above so many bytes are giant ones; only the slow path looks.
    giant_limit: AtomicI64,
    seats: [Seat; SEATS],
    unwinder: UnwinderOnce,
    names: NamesOnce,
}

/// What every call of the hook reads, on a cache line that only starts and stops write.
#[repr(align(64))]
#[derive(Debug)]
struct ReadByAll {
    /// The [`Epoch`] of the active session, or [`Epoch::NONE`]; that, too, where it is not for the hook to tell it of requests.
    epoch: AtomicU64,
    filter: AtomicUsize,
    /// The [`Epoch`] of the active session, whoever tells of requests.
    active: AtomicU64,
}

/// Who tells a session of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Teller {
    /// The hook.
    Hook,
    /// The provider, which samples for itself; see [`crate::native`].
    Provider,
}

/// Sessions that can be on their way out, in hooks that have not returned, while another starts.
const SEATS: usize = sized(16, 2);
/// The owner while a start has not chosen its number yet.
const STARTING: u64 = u64::MAX;

impl Recorder {
    const_unless_modelled! {
        pub(crate) fn new() -> Self {
            Self {
                read_by_all: ReadByAll {
                    epoch: AtomicU64::new(Epoch::NONE.0),
                    filter: AtomicUsize::new(0),
                    active: AtomicU64::new(Epoch::NONE.0),
                },
                owner: AtomicU64::new(0),
                last_number: AtomicU64::new(0),
                giant_limit: AtomicI64::new(NO_LIMIT),
                seats: array_of![Seat::new(); SEATS],
                unwinder: UnwinderOnce::new(),
                names: NamesOnce::new(),
            }
        }
    }

    /// The active session at its present interval, or [`Epoch::NONE`]: for the hook.
    #[inline(always)]
    pub(crate) fn epoch(&self) -> Epoch {
        Epoch(self.read_by_all.epoch.load(Relaxed))
    }

    /// The same, whoever tells it of requests.
    pub(crate) fn active(&self) -> Epoch {
        Epoch(self.read_by_all.active.load(Relaxed))
    }

    /// The names of tags, which outlive every session; none where there is no memory for them.
    pub(crate) fn names(&self) -> Option<&'static Names> {
        self.names.get()
    }

    /// The active session, if it is the provider that tells it of requests.
    pub(crate) fn told(&self) -> Epoch {
        if self.epoch() == Epoch::NONE { self.active() } else { Epoch::NONE }
    }

    /// As [`Recorder::active`], and with everything that its start did before.
    fn active_and_all_before(&self) -> Epoch {
        Epoch(self.read_by_all.active.load(SeqCst))
    }

    /// Looks whether the object at `address` may be a sampled one: not if this is empty.
    #[inline(always)]
    #[allow(unsafe_code)]
    pub(crate) fn look(&self, address: usize) -> Look {
        // With everything that was counted for a filter of this size, before it was switched to.
        let word = FilterWord(self.read_by_all.filter.load(Acquire));
        // SAFETY: the word is that of a filter, whose addresses stay reserved for ever.
        unsafe { word.look(address) }
    }

    /// Starts a session; the answer is its number and the owner's hold, which [`Recorder::stop`] wants
    /// back.
    ///
    /// # Errors
    ///
    /// A field of `config` out of its bounds, a session that runs already, or no memory.
    pub(crate) fn start(&self, config: &Config, teller: Teller) -> Result<(u64, Hold<'_>), Error> {
        config.validate()?;
        if self.owner.compare_exchange(0, STARTING, AcqRel, Relaxed).is_err() {
            return Err(Error::AlreadyActive);
        }
        let started = self.take_seat().and_then(|(number, hold)| {
            let names = self.names().ok_or(Error::Memory { what: "the names of tags" })?;
            hold.set_up(config, capture::choose(&self.unwinder, config.unwinding), names)?;
            Ok((number, hold))
        });
        match &started {
            Ok((number, hold)) => {
                let epoch = Epoch::first(*number).0;
                self.owner.store(*number, SeqCst);
                if teller == Teller::Provider {
                    self.read_by_all.active.store(epoch, SeqCst);
                } else {
                    self.giant_limit.store(hold.tables().giants.limit(), SeqCst);
                    self.read_by_all.filter.store(hold.tables().live.filter().word().0, SeqCst);
                    self.read_by_all.active.store(epoch, SeqCst);
                    self.read_by_all.epoch.store(epoch, SeqCst);
                }
            }
            Err(_) => self.owner.store(0, SeqCst),
        }
        started
    }

    fn take_seat(&self) -> Result<(u64, Hold<'_>), Error> {
        let take = || {
            let number = self.last_number.fetch_add(1, Relaxed) + 1;
            Some((number, self.seat(number).claim(number)?))
        };
        (0..SEATS).find_map(|_| take()).ok_or(Error::HooksStuck { sessions: SEATS })
    }

    /// Ends session `number`. Hooks that are in it finish on its tables; the last one gives them back.
    pub(crate) fn stop(&self, number: u64, owner: Hold<'_>) {
        // In a forked child, where everything was forgotten, another session may run by now.
        if self.owner.compare_exchange(number, STARTING, AcqRel, Relaxed).is_ok() {
            self.clear();
            drop(owner);
            self.owner.store(0, SeqCst);
        }
    }

    /// Forgets every session, as a forked child has to: it has one thread, and the hooks of the others are not
    /// in it.
    pub(crate) fn forget(&self) {
        self.clear();
        self.seats.iter().for_each(Seat::forget);
        self.owner.store(0, SeqCst);
    }

    /// Nobody is told of the session any more.
    fn clear(&self) {
        self.read_by_all.epoch.store(Epoch::NONE.0, SeqCst);
        self.read_by_all.filter.store(FilterWord::NONE.0, SeqCst);
        self.read_by_all.active.store(Epoch::NONE.0, SeqCst);
        self.giant_limit.store(NO_LIMIT, SeqCst);
    }

    fn seat(&self, number: u64) -> &Seat {
        &self.seats[number as usize % SEATS]
    }

    /// Holds session `number`, if it is the active one; none is number zero.
    #[inline(always)]
    pub(crate) fn hold(&self, number: u64) -> Option<Hold<'_>> {
        if number == Epoch::NONE.number() {
            return None;
        }
        let hold = self.seat(number).hold(number)?;
        (self.active_and_all_before().number() == number).then_some(hold)
    }

    /// The slow half of [`Thread::charge`]: whether the request of `size` bytes is picked. The session
    /// is held from here until the request is recorded.
    pub(crate) fn pick(&self, thread: &Thread, epoch: Epoch, size: usize) -> Option<Pick<'_>> {
        if thread.is_inside() {
            return None;
        }
        let hold = self.hold(epoch.number())?;
        let tables = hold.tables();
        let interval = || tables.interval.doubled(epoch.doublings());
        let limit = tables.giants.limit();
        if thread.epoch() != epoch {
            if thread.epoch().number() != epoch.number() {
                thread.seed(tables.next_thread_seed());
            }
            thread.join(epoch, interval(), limit);
            thread.charge(epoch, size);
        }
        if !thread.is_due(interval, limit) {
            return None;
        }
        thread.draw(epoch, interval(), limit);
        Some(Pick { hold, doublings: epoch.doublings() })
    }

    /// Whether the session refuses a request of `size` bytes. A giant one is noted first, whatever becomes of it.
    #[inline(always)]
    pub(crate) fn refuses(&self, thread: &Thread, epoch: Epoch, size: usize, frame: Registers) -> bool {
        // As a countdown takes it: no size is larger than what it can hold.
        size as i64 > self.giant_limit.load(Relaxed) && self.refuses_giant(thread, epoch, size, frame)
    }

    #[cold]
    #[inline(never)]
    fn refuses_giant(&self, thread: &Thread, epoch: Epoch, size: usize, frame: Registers) -> bool {
        if thread.is_inside() {
            return false;
        }
        // The limit may be that of a session which has just ended.
        self.hold(epoch.number()).is_some_and(|hold| hold.tables().refuses(thread, size, frame))
    }

    /// After the live table was thinned in `hold`, or its filter has grown: every thread goes on at the
    /// longer interval, and reads the larger filter.
    #[cold]
    #[inline(never)]
    pub(crate) fn follow_table(&self, hold: &Hold<'_>) {
        let live = &hold.tables().live;
        live.filter().switch(&self.read_by_all.filter);
        let (number, doublings) = (hold.tables().number, live.doublings());
        let longer = |epoch| {
            let epoch = Epoch(epoch);
            let is_behind = epoch.number() == number && epoch.doublings() < doublings;
            is_behind.then(|| epoch.with_doublings(doublings).0)
        };
        for word in [&self.read_by_all.active, &self.read_by_all.epoch] {
            let _ = word.fetch_update(SeqCst, Relaxed, longer);
        }
    }

    /// Answers a probe, if this request is one.
    #[inline(always)]
    pub(crate) fn answer_probe(
        &self,
        thread: &Thread,
        epoch: Epoch,
        request: Request,
        provider: &impl Provider,
        frame: Registers,
    ) {
        if thread.answers_probe() {
            self.answer(epoch, request, provider, frame);
        }
    }

    #[cold]
    #[inline(never)]
    fn answer(&self, epoch: Epoch, request: Request, provider: &impl Provider, frame: Registers) {
        if let Some(hold) = self.hold(epoch.number()) {
            hold.tables().probe.answer(request, Installed::of(provider), frame);
        }
    }

    /// Holds the active session.
    #[inline(always)]
    fn hold_active(&self) -> Option<Hold<'_>> {
        self.hold(self.active_and_all_before().number())
    }

    /// The object at `address` is about to be freed.
    #[inline(never)]
    pub(crate) fn freed(&self, address: usize) {
        if let Some(hold) = self.hold_active() {
            hold.tables().free(address);
        }
    }

    /// The object at `address` is about to be resized to `size` bytes: takes it out, with its room kept.
    /// `due` is what [`Thread::charge`] said of `size`.
    pub(crate) fn reallocating(
        &self,
        thread: &Thread,
        epoch: Epoch,
        address: usize,
        size: usize,
        due: bool,
    ) -> Option<Reallocation<'_>> {
        let pick = if due { self.pick(thread, epoch, size) } else { None };
        let follow = self.look(address).may_be_at(address);
        let (hold, picked) = match pick {
            Some(pick) => (pick.hold, Some(pick.doublings)),
            None if follow => (self.hold_active()?, None),
            None => return None,
        };
        let old = if follow { hold.tables().live.find(address) } else { None };
        Some(Reallocation::begin(hold, picked, old))
    }
}

/// A request that was picked, in the session that it is held in.
#[derive(Debug)]
pub(crate) struct Pick<'a> {
    pub(crate) hold: Hold<'a>,
    /// How often the interval had doubled when the mark was drawn.
    pub(crate) doublings: u32,
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, shuttle))]
mod schedules;
#[cfg(test)]
mod tests;
