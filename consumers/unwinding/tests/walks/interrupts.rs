//! At an arbitrary instruction of busy code.

use std::{
    hint::black_box,
    mem,
    os::unix::thread::JoinHandleExt,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};

use crate::{
    check::Check,
    handler::{self, install, install_on_stack},
    leaf::stay,
    memory::Memory,
    ways::{Recorded, Ways},
};

pub const CHECKS: &[Check] = &[
    Check { name: "interrupts::on_the_stack_of_the_thread", run: on_the_thread_s_stack },
    Check { name: "interrupts::on_a_stack_for_signals", run: on_a_stack_for_signals },
];

/// Signals of one check.
const INTERRUPTS: usize = 25;

/// What the handler has recorded. It is only locked by the handler, and by the sender once the handler is done.
static RECORDED: Mutex<Vec<Recorded>> = Mutex::new(Vec::new());
static IS_DONE: AtomicBool = AtomicBool::new(false);
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// The busy code requests no memory, so the handler may, whatever it interrupts.
extern "C" fn on_interrupt(_signal: i32) {
    *RECORDED.lock().unwrap() = Ways::recorded_here();
    IS_DONE.store(true, SeqCst);
    stay();
}

/// Functions of several shapes, so that many signals come in the middle of a prologue or an epilogue.
#[inline(never)]
fn spin() {
    let mut numbers = [0_u64; 8];
    while !IS_OVER.load(SeqCst) {
        for at in 0..numbers.len() {
            numbers[at] = small(numbers[at]) ^ many(&numbers) ^ deep(3, at as u64);
        }
        black_box(&mut numbers);
    }
}

#[inline(never)]
fn small(number: u64) -> u64 {
    black_box(number).wrapping_mul(31)
}

/// With more live values than registers.
#[inline(never)]
fn many(numbers: &[u64; 8]) -> u64 {
    let [a, b, c, d, e, f, g, h] = numbers.map(black_box);
    let (p, q) = (small(a ^ b) ^ c, small(d ^ e) ^ f);
    small(p ^ g ^ h) ^ a ^ b ^ c ^ d ^ e ^ f ^ q
}

#[inline(never)]
fn deep(calls: u64, number: u64) -> u64 {
    let room = black_box([number; 5]);
    if calls == 0 { room[2] } else { deep(calls - 1, number) ^ room[4] }
}

fn interrupt(prepare: impl FnOnce() + Send + 'static) {
    let is_ready = &*Box::leak(Box::new(AtomicBool::new(false)));
    let busy = thread::spawn(move || {
        prepare();
        is_ready.store(true, SeqCst);
        spin();
        stay();
    });
    while !is_ready.load(SeqCst) {
        thread::yield_now();
    }
    let mut places = Vec::new();
    for _ in 0..INTERRUPTS {
        IS_DONE.store(false, SeqCst);
        // SAFETY: the thread was not waited for yet (pthread_kill(3)).
        assert_eq!(unsafe { libc::pthread_kill(busy.as_pthread_t(), libc::SIGUSR1) }, 0);
        while !IS_DONE.load(SeqCst) {
            thread::yield_now();
        }
        let recorded = mem::take(&mut *RECORDED.lock().unwrap());
        let ways = Ways::of_recorded(recorded);
        ways.agree();
        ways.need_no_platform();
        ways.pass(&["leaf::keep", "interrupts::on_interrupt"]);
        if crate::HAS_TABLES {
            ways.pass(&["interrupts::on_interrupt", "interrupts::spin"]);
        }
        places.push(ways.frame_pointers.stack().outside("interrupts::on_interrupt")[1].address);
    }
    IS_OVER.store(true, SeqCst);
    busy.join().unwrap();
    places.sort();
    places.dedup();
    assert!(places.len() > 3, "the signals came at {} instructions only", places.len());
}

fn on_the_thread_s_stack() {
    install(libc::SIGUSR1, on_interrupt);
    interrupt(|| {});
}

fn on_a_stack_for_signals() {
    install_on_stack(libc::SIGUSR1, on_interrupt);
    interrupt(|| handler::use_stack(Memory::new(1, 2 << 20).piece(0)));
}
