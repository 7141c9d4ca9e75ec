//! What mimalloc's sampling hooks do by themselves: the fact that the argument names, as lines of a name and a number.

// unsafe: calls functions of C, and is called by them.
#![allow(unsafe_code)]

use std::{
    cell::{Cell, UnsafeCell},
    env,
    ffi::c_void,
    hint::black_box,
    process::ExitCode,
    ptr,
    sync::{
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};

use allometer_rustfs::RustfsMimalloc;
use rustfs_mimalloc_sys::{
    mi_free, mi_heap_t, mi_malloc, mi_malloc_aligned, mi_profile, mi_profiler_sample_data_t,
    mi_profiler_start, mi_profiler_stop, mi_profiler_t, mi_realloc,
};

#[global_allocator]
static ALLOC: RustfsMimalloc = RustfsMimalloc;

struct Hooks(UnsafeCell<mi_profiler_t>);

// SAFETY: mimalloc changes its one field that changes atomically.
unsafe impl Sync for Hooks {}

static HOOKS: Hooks = Hooks(UnsafeCell::new(mi_profiler_t {
    reserved: ptr::null_mut(),
    sample_data_size: 8,
    initial_sample_rate: 1,
    on_alloc: Some(on_alloc),
    on_free: Some(on_free),
    on_realloc_inplace: None,
    on_snapshot: None,
}));

/// What the hook answers: after how many bytes to call again.
static RATE: AtomicUsize = AtomicUsize::new(1);
static CALLS: AtomicU64 = AtomicU64::new(0);
static FREES: AtomicU64 = AtomicU64::new(0);
/// Of the last call.
static SIZE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Calls while this thread is at one place, and at another.
    static CALLS_AT: [Cell<u64>; 2] = const { [Cell::new(0), Cell::new(0)] };
    static PLACE: Cell<usize> = const { Cell::new(0) };
}

unsafe extern "C" fn on_alloc(
    _: *mut mi_profiler_t,
    _: *mut mi_profiler_sample_data_t,
    _: *mut c_void,
    size: usize,
    _: usize,
    _: u64,
    _: *mut mi_heap_t,
) -> usize {
    CALLS.fetch_add(1, SeqCst);
    SIZE.store(size, SeqCst);
    CALLS_AT.with(|calls| calls[PLACE.get()].set(calls[PLACE.get()].get() + 1));
    RATE.load(SeqCst)
}

unsafe extern "C" fn on_free(
    _: *mut mi_profiler_t,
    _: *mut mi_profiler_sample_data_t,
    _: *mut c_void,
    _: *mut mi_heap_t,
) {
    FREES.fetch_add(1, SeqCst);
}

/// The hooks are called, at `rate`.
fn start(rate: usize) {
    RATE.store(rate, SeqCst);
    // SAFETY: the table is there for ever.
    unsafe {
        mi_profile(HOOKS.0.get());
        mi_profiler_start(HOOKS.0.get());
    }
}

/// Calls while something is done.
fn calls(work: impl FnOnce()) -> u64 {
    let before = CALLS.load(SeqCst);
    work();
    CALLS.load(SeqCst) - before
}

fn request(size: usize) -> *mut c_void {
    // SAFETY: takes any size.
    black_box(unsafe { mi_malloc(size) })
}

fn aligned(size: usize, align: usize) -> *mut c_void {
    // SAFETY: takes any size, and powers of two.
    black_box(unsafe { mi_malloc_aligned(size, align) })
}

fn free(block: *mut c_void) {
    // SAFETY: each is a block of mimalloc, freed once.
    unsafe { mi_free(block) };
}

/// Of 2²⁰ blocks of 64 bytes that are kept, at a rate of 64 KiB: 1024 calls are right.
fn share() {
    start(1 << 16);
    let mut kept = Vec::with_capacity(1 << 20);
    println!("calls {}", calls(|| kept.extend((0..1 << 20).map(|_| request(64)))));
    kept.into_iter().for_each(free);
}

/// Two places that take turns, with blocks that are freed at once: as many calls each are right.
fn turns() {
    start(1 << 12);
    for _ in 0..1 << 20 {
        let blocks = [0, 1].map(|place| {
            PLACE.set(place);
            request(64)
        });
        blocks.into_iter().for_each(free);
    }
    CALLS_AT.with(|calls| println!("first {}\nsecond {}", calls[0].get(), calls[1].get()));
}

/// Requests of a thread that runs when the hooks are started, until they are called for each: none is right.
fn running() {
    const REQUESTS: u64 = 5000;
    let (orders, asked) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        free(request(64));
        asked.recv().ok();
        calls(|| (0..REQUESTS).for_each(|_| free(request(1 << 20))))
    });
    start(1);
    orders.send(()).ok();
    println!("unseen {}", REQUESTS - thread.join().unwrap_or(0).min(REQUESTS));
}

/// Of a hundred threads that request 64 KiB each, at each byte: 6400 calls are right.
fn short() {
    start(1);
    let thread = || calls(|| (0..64).for_each(|_| free(request(1024))));
    println!("calls {}", (0..100).filter_map(|_| thread::spawn(thread).join().ok()).sum::<u64>());
}

/// The sizes that are told of requests for 64 bytes.
fn sizes() {
    start(1);
    let told = |block: *mut c_void| {
        let size = SIZE.load(SeqCst);
        free(block);
        size
    };
    let sizes = [told(request(64)), told(aligned(64, 8)), told(aligned(64, 64))];
    println!("plain {}\naligned_to_8 {}\naligned_to_64 {}", sizes[0], sizes[1], sizes[2]);
}

/// Calls for one request each: one is right.
fn large() {
    start(1);
    let [plain, over] = [calls(|| free(request(1 << 30))), calls(|| free(aligned(64, 1 << 20)))];
    println!("of_a_gib {plain}\naligned_to_a_mib {over}");
}

/// Calls for a resize that leaves the block where it is: one is right, as for any other resize.
fn in_place() {
    start(1);
    let block = request(1000);
    let resize = |size| {
        // SAFETY: a block of mimalloc.
        free(black_box(unsafe { mi_realloc(block, size) }));
    };
    println!("calls {}", calls(|| resize(900)));
}

/// Of a hundred blocks, how many ends are told that were while the hooks were stopped.
fn stopped() {
    start(1);
    let blocks: Vec<_> = (0..100).map(|_| request(64)).collect();
    // SAFETY: the table is there for ever.
    unsafe { mi_profiler_stop(HOOKS.0.get()) };
    let before = FREES.load(SeqCst);
    blocks.into_iter().for_each(free);
    let told = FREES.load(SeqCst) - before;
    println!("frees {told}");
}

/// Calls for a thousand requests at an alignment, and ends of their blocks: a thousand of each are right.
fn twice() {
    start(1);
    let before = FREES.load(SeqCst);
    let called = calls(|| (0..1000).for_each(|_| free(aligned(64, 64))));
    let freed = FREES.load(SeqCst) - before;
    println!("calls {called}\nfrees {freed}");
}

/// KiB until the next call when the hook answers a mebibyte where it was called after 4 KiB: 1024 is right.
fn longer() {
    let next = || {
        let mut requests = 0u64;
        while calls(|| free(request(64))) == 0 {
            requests += 1;
        }
        requests * 64 / 1024
    };
    start(4096);
    // Until it goes by what was answered.
    let _ = [next(), next()];
    RATE.store(1 << 20, SeqCst);
    let _answers_a_mebibyte = next();
    println!("kib {}", next());
}

const FACTS: [(&str, fn()); 10] = [
    ("share", share),
    ("turns", turns),
    ("running", running),
    ("short", short),
    ("sizes", sizes),
    ("large", large),
    ("in_place", in_place),
    ("stopped", stopped),
    ("twice", twice),
    ("longer", longer),
];

fn main() -> ExitCode {
    let wanted = env::args().nth(1).unwrap_or_default();
    match FACTS.iter().find(|(name, _)| *name == wanted) {
        Some((_, fact)) => {
            fact();
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("expected one of {}", FACTS.map(|(name, _)| name).join(", "));
            ExitCode::FAILURE
        }
    }
}
