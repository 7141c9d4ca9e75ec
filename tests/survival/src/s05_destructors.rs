//! S5: memory that is requested and freed while a thread ends.

// unsafe: makes pthread keys, which std's thread-locals hide.
#![allow(unsafe_code)]

use std::{
    cell::RefCell,
    ffi::c_void,
    hint::black_box,
    ptr,
    sync::atomic::{AtomicI64, AtomicU32, Ordering::SeqCst},
    thread,
};

use allometer_contract::{Block, Decoded};
use allometer_core::Profiler;
use allometer_lines::{Form, Outcome};

use crate::{
    line::{Line, Part},
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S5",
    target: "allocation in thread-local and pthread-key destructors, 2 000 threads: lost ≤ 0.1 %, live ends at 0",
    parts: |_| const { &[Part::only(run)] },
};

/// Objects that destructors have requested so far.
static REQUESTED: AtomicI64 = AtomicI64::new(0);
/// Made before the thread's first request in the session, and after.
static KEYS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Times that a key's destructor asks to be called again, which the system allows four of.
const ROUNDS: usize = 3;

#[inline(never)]
fn while_ending(size: usize) -> Block {
    black_box("while_ending");
    REQUESTED.fetch_add(1, SeqCst);
    Block::new(size, 8).unwrap()
}

/// Requests a hundred objects, resizes some, and frees all.
fn requests() {
    let mut blocks: Vec<Block> = Vec::with_capacity(100);
    (1..=100).for_each(|size| blocks.push(while_ending(size)));
    drop(blocks);
}

/// Requests in its destructor, and frees what it holds.
struct Requesting(Option<Block>);

impl Drop for Requesting {
    fn drop(&mut self) {
        requests();
        drop(self.0.take());
    }
}

thread_local! {
    static FIRST: RefCell<Requesting> = const { RefCell::new(Requesting(None)) };
    static SECOND: RefCell<Requesting> = const { RefCell::new(Requesting(None)) };
}

/// `value` is how often it was called for this thread, and one.
extern "C" fn end_of_key(value: *mut c_void) {
    requests();
    if value.addr() <= ROUNDS {
        for key in &KEYS {
            set(key, value.addr() + 1);
        }
    }
}

fn make(key: &AtomicU32) {
    let mut made = 0;
    // SAFETY: a writable key, and a destructor that takes any value (pthread_key_create(3)).
    assert_eq!(unsafe { libc::pthread_key_create(&raw mut made, Some(end_of_key)) }, 0);
    key.store(made, SeqCst);
}

fn set(key: &AtomicU32, value: usize) {
    // SAFETY: a key that was made; its value is no pointer (pthread_setspecific(3)).
    let set = unsafe { libc::pthread_setspecific(key.load(SeqCst), ptr::without_provenance(value)) };
    assert_eq!(set, 0);
}

fn ending_thread(number: usize) {
    if number.is_multiple_of(2) {
        KEYS.iter().for_each(|key| set(key, 1));
    }
    FIRST.with(|first| first.borrow_mut().0 = Some(while_ending(300)));
    // Registered behind the first, so destroyed before it, or after: as the platform likes.
    SECOND.with(|second| second.borrow_mut().0 = Some(while_ending(500)));
    if !number.is_multiple_of(2) {
        KEYS.iter().for_each(|key| set(key, 1));
    }
}

fn run(_: &Subject, form: Form) -> Outcome {
    make(&KEYS[0]);
    let mut profiler = Profiler::start(tables::exact()).unwrap();
    make(&KEYS[1]);
    let threads = form.pick(300, 2000);
    let mut numbers = 0..threads;
    loop {
        let some: Vec<_> =
            numbers.by_ref().take(8).map(|number| thread::spawn(move || ending_thread(number))).collect();
        if some.is_empty() {
            break;
        }
        some.into_iter().for_each(|thread| thread.join().unwrap());
    }
    let seen = Decoded::new(&profiler.report().unwrap()).at("s05_destructors::while_ending");
    let requested = REQUESTED.load(SeqCst);
    let lost = requested - seen.alloc_objects;
    // Two thread-locals, and the keys so often between them; else destructors were not called.
    let least = (threads * (2 * 101 + 100 * (ROUNDS + 1))) as i64;
    Outcome::new()
        .with(lost == 0 && requested >= least, format!("lost {lost} of {requested}"))
        .with(seen.live_objects == 0, format!("live at the end {}", seen.live_objects))
}
