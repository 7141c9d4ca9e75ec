//! S2: handlers that allocate and free, at any instruction of the hook.

// unsafe: blocks that handlers and threads exchange, by their addresses alone.
#![allow(unsafe_code)]

use std::{
    alloc::{self, Layout},
    ffi::c_void,
    hint::{black_box, spin_loop},
    ptr,
    sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU64,
        Ordering::{AcqRel, Relaxed, SeqCst},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use allometer_contract::{Decoded, Values};
use allometer_core::{Config, Profiler};
use allometer_lines::{Form, Outcome};

use crate::{
    line::{Line, Part},
    signals::{self, OwnStack, Where},
    stepping,
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S2",
    target: "handlers that allocate and free, over a signal-safe provider, a signal every 50 µs, 60 s, 500 000 \
             signals: 0 stalls, live ends at 0",
    parts: |subject| {
        if subject.faulty.is_none() {
            return &[];
        }
        const {
            &[
                Part::new("between instructions, full tables", |_, form| {
                    stepped(tables::tiny(), Where::Nested, form)
                }),
                Part::new("thinned tables", |_, form| stepped(tables::thinned(), Where::Nested, form)),
                Part::new("exact", |_, form| stepped(tables::exact(), Where::Nested, form)),
                Part::new("on a small stack", |_, form| stepped(tables::exact(), Where::OwnStack, form)),
                Part::new("from another thread", sent),
            ]
        }
    },
};

const THREADS: usize = 3;
const SIGNALS: [i32; 2] = [libc::SIGUSR1, libc::SIGUSR2];
/// Between two signals.
const PAUSE: Duration = Duration::from_micros(50);
/// A stack for signals.
const STACK: usize = 64 << 10;
/// What handlers may use of it, beyond what the kernel needs: what the documentation of the hook says.
const MOST_STACK: usize = 12 << 10;

static STORM: Storm = Storm::new();

/// What handlers and threads share: a handler has no other way to it.
struct Storm {
    /// Blocks of [`EXCHANGED`], or null.
    places: [AtomicPtr<u8>; PLACES],
    handled: AtomicU64,
    steps: AtomicU64,
    is_over: AtomicBool,
}

const PLACES: usize = 50;
const EXCHANGED: Layout = Layout::new::<[u64; 9]>();

impl Storm {
    const fn new() -> Self {
        Self {
            places: [const { AtomicPtr::new(ptr::null_mut()) }; PLACES],
            handled: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Puts `block` into a place and frees what was there.
    fn exchange(&self, place: u64, block: *mut u8) {
        let old = self.places[place as usize % PLACES].swap(block, AcqRel);
        if !old.is_null() {
            // SAFETY: a block of this layout, which nobody else finds any more.
            unsafe { alloc::dealloc(old, EXCHANGED) };
        }
    }

    fn empty(&self) {
        (0..PLACES as u64).for_each(|place| self.exchange(place, ptr::null_mut()));
    }
}

#[inline(never)]
fn by_handler() -> *mut u8 {
    black_box("handler");
    // SAFETY: the layout is not empty.
    unsafe { alloc::alloc(EXCHANGED) }
}

#[inline(never)]
fn by_thread(depth: u64) -> *mut u8 {
    let block = if depth == 0 {
        // SAFETY: the layout is not empty.
        unsafe { alloc::alloc_zeroed(EXCHANGED) }
    } else {
        by_thread(black_box(depth - 1))
    };
    black_box(block)
}

/// Resizes a block of its own, up and down.
#[inline(never)]
fn resized(block: *mut u8, by: usize) {
    // SAFETY: a live block of that layout, with the size that it has at each moment; nothing is refused here.
    unsafe {
        let larger = EXCHANGED.size() + by;
        let block = alloc::realloc(block, EXCHANGED, larger);
        let layout = Layout::from_size_align_unchecked(larger, EXCHANGED.align());
        let block = alloc::realloc(block, layout, EXCHANGED.size());
        alloc::dealloc(block, EXCHANGED);
    }
}

extern "C" fn on_signal(_: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
    exchange_in_handler();
}

fn exchange_in_handler() {
    let number = STORM.handled.load(Relaxed);
    STORM.exchange(number, by_handler());
    STORM.exchange(number * 7 + 1, by_handler());
    resized(by_handler(), number as usize % 500);
    STORM.handled.fetch_add(1, SeqCst);
}

/// After each instruction; works after some, or what is tried again and again, until nobody has come in between, would
/// be tried for ever.
extern "C" fn on_step(_: i32, _: *mut libc::siginfo_t, _: *mut c_void) {
    let number = STORM.steps.fetch_add(1, Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if number >> 60 == 0 {
        exchange_in_handler();
    }
}

/// What a thread does between two looks whether it is over.
fn work_once(number: u64) {
    STORM.exchange(number * 11, by_thread(number % 9));
    resized(by_thread(number % 5), number as usize % 300);
}

/// Threads whose handlers run after each of their instructions.
fn stepped(config: Config, place: Where, form: Form) -> Outcome {
    signals::install(stepping::SIGNAL, on_step, place);
    let end = Instant::now() + Duration::from_secs(form.pick(1, 60));
    let asked = form.pick(2_000, 500_000);
    let work = move |thread: u64| {
        let stack = (place == Where::OwnStack).then(|| OwnStack::new(STACK));
        for number in (thread..).take_while(|_| Instant::now() < end || STORM.steps.load(Relaxed) < asked) {
            stepping::each_instruction(|| work_once(number));
        }
        stack.map_or(0, |stack| stack.used())
    };
    let mut used = 0;
    let outcome = judged(config, || {
        let threads: Vec<_> = (0..THREADS as u64).map(|thread| thread::spawn(move || work(thread))).collect();
        used = threads.into_iter().map(|thread| thread.join().unwrap()).max().unwrap();
    });
    // The kernel's frame is on it as well.
    let used = used.saturating_sub(signals::least_stack());
    if used == 0 { outcome } else { outcome.with(used <= MOST_STACK, format!("{used} bytes of stack")) }
}

/// Threads at work, and signals to each in turn; one handler interrupts the other.
fn sent(_: &Subject, form: Form) -> Outcome {
    SIGNALS.iter().for_each(|signal| signals::install(*signal, on_signal, Where::Nested));
    let (time, asked) = form.pick((2, 50), (60, 5_000));
    let work = |thread: u64| (thread..).take_while(|_| !STORM.is_over.load(Relaxed)).for_each(work_once);
    judged(tables::exact(), || {
        let threads: Vec<JoinHandle<()>> =
            (0..THREADS as u64).map(|thread| thread::spawn(move || work(thread))).collect();
        send_signals(&threads, Duration::from_secs(time), asked);
        STORM.is_over.store(true, SeqCst);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    })
}

/// Runs `storm` in a session, and looks what it has left.
fn judged(config: Config, storm: impl FnOnce()) -> Outcome {
    let mut profiler = Profiler::start(config).unwrap();
    storm();
    STORM.empty();
    let report = Decoded::new(&profiler.report().unwrap());
    let [by_handler, by_thread, resized] =
        ["by_handler", "by_thread", "resized"].map(|name| report.at(&format!("s02_signals::{name}")));
    let live = |values: Values| (values.live_objects, values.live_bytes);
    let lives = [by_handler, by_thread, resized].map(live);
    let signals = STORM.handled.load(SeqCst).max(STORM.steps.load(SeqCst));
    // What interrupts the hook of its own thread is not recorded; the rest of the handlers' requests are.
    let is_seen = by_handler.alloc_objects > 0 && by_thread.alloc_objects > 0;
    Outcome::new()
        .with(true, format!("{signals} signals"))
        .with(lives == [(0, 0); 3], format!("live at the end {lives:?}"))
        .with(is_seen, format!("{} objects of handlers", by_handler.alloc_objects))
}

/// Signals to each thread in turn, so many or for so long, whichever is more.
fn send_signals(threads: &[JoinHandle<()>], time: Duration, asked: u64) {
    /// So that signals of a kind do not merge with ones that are still on their way.
    const MOST_ON_THEIR_WAY: u64 = 2;
    let end = Instant::now() + time;
    let mut next = Instant::now();
    for number in 0u64.. {
        if next >= end && number >= asked {
            break;
        }
        let (signal, to) = (number as usize / THREADS % SIGNALS.len(), number as usize % THREADS);
        signals::send(SIGNALS[signal], &threads[to]);
        next += PAUSE;
        while STORM.handled.load(Relaxed) + MOST_ON_THEIR_WAY <= number {
            thread::yield_now();
        }
        while Instant::now() < next {
            spin_loop();
        }
        next = next.max(Instant::now());
    }
}
