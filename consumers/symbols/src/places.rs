//! Places that allocate, each of a kind whose names are easily got wrong.

// unsafe: C calls back.
#![allow(unsafe_code)]

use std::{
    ffi::{c_int, c_void},
    fmt::Debug,
    hint::black_box,
    sync::{Arc, OnceLock},
    thread,
};

/// What was allocated, and on which lines functions of this file call what allocates.
pub struct Held {
    pub calls: Vec<(&'static str, u32)>,
    _blocks: Vec<Block>,
}

type Block = Box<dyn Debug>;

pub fn allocate() -> Held {
    let (inner, of_inner, of_outer) = outer();
    let of_last = last_call();
    let blocks = vec![inner, generic::<u64>(7), generic::<Vec<u8>>(Vec::new()), closure(), through_c()];
    let calls = vec![("inlined", of_inner), ("outer", of_outer), ("ends_in_a_call", of_last)];
    Held { calls, _blocks: blocks }
}

#[inline(never)]
fn block(size: usize) -> Block {
    Box::new(black_box(vec![1u8; size]))
}

/// A chain of inlined calls has a line for each of them.
#[inline(never)]
fn outer() -> (Block, u32, u32) {
    let (block, line) = inlined();
    black_box((block, line, line!() - 1))
}

#[inline(always)]
fn inlined() -> (Block, u32) {
    let block = block(1001);
    (black_box(block), line!() - 1)
}

/// The return address of a call at the end of a function is behind the function.
fn last_call() -> u32 {
    let held = Arc::new(OnceLock::new());
    let of_thread = Arc::clone(&held);
    thread::spawn(|| ends_in_a_call(of_thread));
    // Waiting in any other way would allocate, or not, as the other thread is slower or faster.
    loop {
        match held.get() {
            Some((_, line)) => return *line,
            None => thread::yield_now(),
        }
    }
}

/// A block, and the line of the call that allocated it.
type Slot = OnceLock<(Vec<u8>, u32)>;

#[inline(never)]
fn ends_in_a_call(held: Arc<Slot>) -> ! {
    const LINE: u32 = line!() + 1;
    never_returns(held, LINE)
}

#[inline(never)]
fn never_returns(held: Arc<Slot>, line: u32) -> ! {
    let _ = held.set((black_box(vec![1u8; 1002]), line));
    loop {
        thread::park();
    }
}

#[inline(never)]
fn generic<T: Clone + Debug + 'static>(value: T) -> Block {
    let mut values = Vec::with_capacity(3);
    values.push(value.clone());
    values.extend(black_box([value]));
    Box::new(values)
}

#[inline(never)]
fn closure() -> Block {
    let allocate = black_box(|size: usize| black_box(block(size)));
    allocate(1003)
}

/// The C library's code stands between two functions of this file.
#[inline(never)]
fn through_c() -> Block {
    unsafe extern "C" {
        fn bsearch(
            key: *const c_void,
            base: *const c_void,
            count: usize,
            size: usize,
            compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int,
        ) -> *mut c_void;
    }
    let mut found: Option<Block> = None;
    let element = 0u8;
    // SAFETY: one element of one byte; the key is what the callback takes it for, and nobody else uses it meanwhile.
    unsafe {
        let (key, base) = ((&raw mut found).cast::<c_void>(), (&raw const element).cast::<c_void>());
        bsearch(key.cast_const(), base, 1, 1, called_from_c);
    }
    found.expect("the callback is called for the one element")
}

/// # Safety
///
/// The key is an `Option<Block>` that may be written to.
unsafe extern "C" fn called_from_c(key: *const c_void, _element: *const c_void) -> c_int {
    // SAFETY: as above.
    unsafe { *key.cast_mut().cast::<Option<Block>>() = Some(block(1004)) };
    0
}
