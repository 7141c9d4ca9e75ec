//! Requests that are counted together, beside their sites: those of one measured piece of code.

use crate::{
    Error,
    sync::{
        AtomicI64, AtomicU32,
        Ordering::{AcqRel, Relaxed, SeqCst},
        sized,
    },
};

/// Measurements that can run at once.
const SCOPES: usize = sized(64, 1);

/// The scopes of one session. A scope has a number, from one; zero is no scope. A site belongs to one
/// scope, so that what a scope allocated can be told apart for as long as it lives.
#[derive(Debug)]
pub(crate) struct Scopes {
    last: AtomicU32,
    /// What every thread without a scope of its own is counted under.
    process: AtomicU32,
    open: [Scope; SCOPES],
}

#[derive(Default, Debug)]
struct Scope {
    number: AtomicU32,
    /// Live bytes, rounded to whole ones for each object, and their largest value.
    live: AtomicI64,
    peak: AtomicI64,
}

impl Default for Scopes {
    fn default() -> Self {
        let open = std::array::from_fn(|_| Scope::default());
        Self { last: AtomicU32::new(0), process: AtomicU32::new(0), open }
    }
}

/// Whole bytes of [`Weight::bytes`](crate::sampler::Weight::bytes).
fn whole(bytes: u128) -> i64 {
    (bytes >> 20) as i64
}

impl Scopes {
    /// Opens a scope.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyMeasurements`]: all are open.
    pub(crate) fn open(&self) -> Result<OpenScope<'_>, Error> {
        let open = || {
            let number = self.last.fetch_add(1, Relaxed) + 1;
            let scope = self.at(number);
            let opened = scope.number.compare_exchange(0, number, AcqRel, Relaxed).is_ok();
            opened.then(|| {
                scope.live.store(0, Relaxed);
                scope.peak.store(0, Relaxed);
                OpenScope { scopes: self, number }
            })
        };
        (0..SCOPES).find_map(|_| open()).ok_or(Error::TooManyMeasurements { max: SCOPES })
    }

    fn at(&self, number: u32) -> &Scope {
        &self.open[number as usize % SCOPES]
    }

    /// Counts every thread that has no scope of its own under `number`, if none has been set before;
    /// zero ends that.
    pub(crate) fn set_process(&self, number: u32) -> bool {
        match number {
            0 => {
                self.process.store(0, SeqCst);
                true
            }
            number => self.process.compare_exchange(0, number, SeqCst, SeqCst).is_ok(),
        }
    }

    /// The scope of a request by a thread whose own is `own`.
    pub(crate) fn of(&self, own: u32) -> u32 {
        if own != 0 { own } else { self.process.load(Relaxed) }
    }

    /// `more` bytes came and `less` went in scope `number`. What belongs to a closed one is not counted.
    pub(crate) fn moved(&self, number: u32, more: u128, less: u128) {
        let scope = self.at(number);
        if number != 0 && scope.number.load(Relaxed) == number {
            let change = whole(more) - whole(less);
            let live = scope.live.fetch_add(change, Relaxed) + change;
            scope.peak.fetch_max(live, Relaxed);
        }
    }
}

/// A scope that is open until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenScope<'a> {
    scopes: &'a Scopes,
    number: u32,
}

impl<'a> OpenScope<'a> {
    pub(crate) fn scopes(&self) -> &'a Scopes {
        self.scopes
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The most bytes of this scope that were live at once.
    pub(crate) fn peak(&self) -> u64 {
        self.scopes.at(self.number).peak.load(Relaxed).max(0) as u64
    }
}

impl Drop for OpenScope<'_> {
    fn drop(&mut self) {
        self.scopes.at(self.number).number.store(0, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Interval;

    #[test]
    fn each_scope_has_its_own_peak() {
        let scopes = Scopes::default();
        let weight = |size| Interval::new(1).weight(size).bytes;
        let (first, second) = (scopes.open().unwrap(), scopes.open().unwrap());
        scopes.moved(first.number(), weight(100), weight(0));
        scopes.moved(second.number(), weight(7), weight(0));
        scopes.moved(first.number(), weight(20), weight(100));
        scopes.moved(first.number(), weight(50), weight(0));
        assert_eq!((first.peak(), second.peak()), (100, 7));
        let closed = first.number();
        drop(first);
        let open: Vec<_> = (0..SCOPES).map_while(|_| scopes.open().ok()).collect();
        assert_eq!(open.len(), SCOPES - 1);
        assert_eq!(scopes.open().unwrap_err(), Error::TooManyMeasurements { max: SCOPES });
        scopes.moved(closed, weight(1000), weight(0));
        assert!(open.iter().all(|scope| scope.number() > second.number() && scope.peak() == 0));
    }

    #[test]
    fn a_thread_has_its_own_scope_or_the_process_has_one() {
        let scopes = Scopes::default();
        assert_eq!((scopes.of(0), scopes.of(3)), (0, 3));
        assert!(scopes.set_process(5) && !scopes.set_process(6));
        assert_eq!((scopes.of(0), scopes.of(3)), (5, 3));
        assert!(scopes.set_process(0) && scopes.set_process(6));
    }
}
