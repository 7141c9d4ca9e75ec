//! Faults that have to be reported, on memory that came through the hook while a session records each request.

// unsafe: commits them.
#![allow(unsafe_code)]

use std::{
    alloc::{Layout, alloc, dealloc},
    hint::black_box,
    ptr, thread,
};

use allometer_core::{Config, Profiler};

const LAYOUT: Layout = Layout::new::<[u64; 12]>();

/// Reads what was freed.
pub(crate) fn use_after_free() {
    let block = recorded();
    // SAFETY: none: this is the fault.
    let word = unsafe {
        dealloc(block.cast(), LAYOUT);
        black_box(block).read_volatile()
    };
    black_box(word);
}

/// Forgets blocks, several of them: one may still stand in a register.
pub(crate) fn leak() {
    (0..16).for_each(|_| forget());
    overwrite_the_stack();
}

#[inline(never)]
fn forget() {
    black_box(recorded());
}

#[inline(never)]
fn overwrite_the_stack() {
    black_box([0u64; 512]);
}

/// Writes from two threads at once.
pub(crate) fn race() {
    let address = recorded().expose_provenance();
    let write = move || {
        for _ in 0..1000 {
            // SAFETY: none: this is the fault. The block is not freed meanwhile.
            unsafe { black_box(ptr::with_exposed_provenance_mut::<u64>(address)).write_volatile(1) };
        }
    };
    let threads = [thread::spawn(write), thread::spawn(write)];
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Decides by what nobody has written.
pub(crate) fn uninitialised() {
    let block = recorded();
    // SAFETY: none: this is the fault.
    if unsafe { black_box(block).read_volatile() } == 7 {
        println!("seven");
    }
    // SAFETY: allocated with this layout.
    unsafe { dealloc(block.cast(), LAYOUT) };
}

/// A block whose allocation was a sample.
#[inline(never)]
fn recorded() -> *mut u64 {
    let mut profiler = Profiler::start(Config::default().sample_interval(1)).unwrap();
    // SAFETY: the layout has a size.
    let block = black_box(unsafe { alloc(LAYOUT) });
    assert!(!profiler.snapshot().unwrap().live_samples().is_empty());
    profiler.stop();
    block.cast()
}
