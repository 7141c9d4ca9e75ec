//! Threads that do what they are told, all at once, and run while they wait for it.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

/// Threads and the order that they are carrying out. Neither giving nor taking one allocates.
#[derive(Debug)]
pub struct Crew<O> {
    threads: usize,
    /// None: go home.
    order: Mutex<Option<O>>,
    /// Orders given so far.
    given: AtomicUsize,
    /// Orders carried out so far, over all threads.
    done: AtomicUsize,
    /// Whether a thread panicked, so that nobody waits for it.
    broken: AtomicBool,
}

/// Runs `lead` beside so many threads, each of which has a state of its own, made by `join` from its number,
/// and carries out each order with it.
pub fn with_crew<O: Copy + Send, S, T>(
    threads: usize,
    join: impl Fn(usize) -> S + Sync,
    carry_out: impl Fn(&mut S, O) + Sync,
    lead: impl FnOnce(&Crew<O>) -> T,
) -> T {
    let crew = Crew {
        threads,
        order: Mutex::new(None),
        given: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for number in 0..threads {
            let (crew, join, carry_out) = (&crew, &join, &carry_out);
            scope.spawn(move || {
                let _broken = BrokenByPanic(&crew.broken);
                let mut state = join(number);
                crew.ready();
                for next in 1.. {
                    wait_until(|| crew.given.load(SeqCst) >= next);
                    let order = *crew.order.lock().unwrap_or_else(PoisonError::into_inner);
                    let Some(order) = order else { break };
                    carry_out(&mut state, order);
                    crew.ready();
                }
            });
        }
        let _home = GoHome(&crew);
        crew.wait();
        lead(&crew)
    })
}

/// Lets threads end when the one that leads them has, by a panic too: or everybody would wait for ever.
struct GoHome<'a, O: Copy>(&'a Crew<O>);

impl<O: Copy> Drop for GoHome<'_, O> {
    fn drop(&mut self) {
        self.0.announce(None);
    }
}

struct BrokenByPanic<'a>(&'a AtomicBool);

impl Drop for BrokenByPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, SeqCst);
        }
    }
}

impl<O: Copy> Crew<O> {
    /// Tells every thread to carry out `order`, and does not wait for it.
    pub fn give(&self, order: O) {
        self.announce(Some(order));
    }

    /// Waits until every thread has carried out the last order.
    pub fn wait(&self) {
        let all = (self.given.load(SeqCst) + 1) * self.threads;
        wait_until(|| self.done.load(SeqCst) == all || self.broken.load(SeqCst));
        assert!(!self.broken.load(SeqCst), "a thread panicked");
    }

    /// Has every thread carry out `order`.
    pub fn order(&self, order: O) {
        self.give(order);
        self.wait();
    }

    fn announce(&self, order: Option<O>) {
        *self.order.lock().unwrap_or_else(PoisonError::into_inner) = order;
        self.given.fetch_add(1, SeqCst);
    }

    fn ready(&self) {
        self.done.fetch_add(1, SeqCst);
    }
}

/// Spins, and after a while leaves the processor to those that have more to do.
pub fn wait_until(is_so: impl Fn() -> bool) {
    for turn in 0u32.. {
        if is_so() {
            break;
        }
        if turn < 1000 {
            thread::yield_now();
        } else {
            thread::sleep(Duration::from_micros(50));
        }
    }
}

/// Lets threads do something one after the other.
#[derive(Debug, Default)]
pub struct Turns(AtomicUsize);

impl Turns {
    /// Nobody has had a turn.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// Runs `body` when everybody with a smaller number has had a turn. Numbers start at zero.
    pub fn take<T>(&self, number: usize, body: impl FnOnce() -> T) -> T {
        wait_until(|| self.0.load(SeqCst) == number);
        let answer = body();
        self.0.store(number + 1, SeqCst);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_carries_out_every_order_in_turn() {
        let (log, turns) = (Mutex::new(Vec::new()), Turns::new());
        let carry_out = |number: &mut usize, order: usize| {
            turns.take(order * 3 + *number, || log.lock().unwrap().push((order, *number)));
        };
        with_crew(
            3,
            |number| number,
            carry_out,
            |crew| {
                (0..10).for_each(|order| crew.order(order));
                assert_eq!(log.lock().unwrap().len(), 30);
            },
        );
        let expected: Vec<_> = (0..30).map(|at| (at / 3, at % 3)).collect();
        assert_eq!(log.into_inner().unwrap(), expected);
    }

    #[test]
    fn a_panic_is_passed_on_and_nobody_waits() {
        let with = |order: bool, lead: bool| {
            let carry_out = |_: &mut usize, panics: bool| assert!(!panics);
            let all = || {
                with_crew(
                    3,
                    |number| number,
                    carry_out,
                    |crew| {
                        crew.order(order);
                        assert!(!lead);
                    },
                );
            };
            std::panic::catch_unwind(all).is_err()
        };
        assert_eq!([with(false, false), with(true, false), with(false, true)], [false, true, true]);
    }
}
