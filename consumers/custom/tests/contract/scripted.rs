//! An allocator whose answers a test chooses, and which remembers what it was asked.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr::{self, null_mut},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering::SeqCst},
    },
};

use crate::gate::Gate;

/// std's `System` with blocks of the next power of two, so that it is known which reallocs fit.
pub struct Scripted {
    resizing: AtomicU8,
    /// Requests of at least so many bytes get null.
    refused_from: AtomicUsize,
    /// Whether freed small blocks are handed on at once, by way of `slot`.
    handing_on: AtomicBool,
    slot: AtomicPtr<u8>,
    recording: AtomicBool,
    calls: Mutex<Calls>,
    /// Where a thread can be held, before `System` is asked.
    pub gate: Gate,
}

/// How a realloc is answered.
#[derive(Clone, Copy)]
pub enum Resizing {
    /// In place when both sizes round up to the same, else by moving.
    Fitting = 0,
    /// Always by moving.
    Moving = 1,
    /// With null.
    Refusing = 2,
}

/// A call as it arrived, and what it was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Call {
    Alloc(Layout, *mut u8),
    AllocZeroed(Layout, *mut u8),
    Dealloc(*mut u8, Layout),
    Realloc(*mut u8, Layout, usize, *mut u8),
}

/// Room that needs no allocation.
struct Calls {
    calls: [Option<Call>; 64],
    count: usize,
}

// SAFETY: the addresses are only compared.
unsafe impl Send for Calls {}

const SMALLEST: usize = 64;

impl Scripted {
    pub const fn new() -> Self {
        Self {
            resizing: AtomicU8::new(Resizing::Fitting as u8),
            refused_from: AtomicUsize::new(usize::MAX),
            handing_on: AtomicBool::new(false),
            slot: AtomicPtr::new(null_mut()),
            recording: AtomicBool::new(false),
            calls: Mutex::new(Calls { calls: [None; 64], count: 0 }),
            gate: Gate::new(),
        }
    }

    /// Answers reallocs in this way from now on.
    pub fn resize(&self, resizing: Resizing) {
        self.resizing.store(resizing as u8, SeqCst);
    }

    /// Refuses requests of at least `bytes` from now on.
    pub fn refuse_from(&self, bytes: usize) {
        self.refused_from.store(bytes, SeqCst);
    }

    /// Hands a freed block of the smallest size to whoever asks next, in whichever thread.
    pub fn hand_on(&self) {
        self.handing_on.store(true, SeqCst);
    }

    /// The calls that arrive while `body` runs, up to 64 of them.
    pub fn calls_during(&self, body: impl FnOnce()) -> Vec<Call> {
        self.recording.store(true, SeqCst);
        body();
        self.recording.store(false, SeqCst);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let arrived = calls.calls[..calls.count].iter().copied().flatten().collect();
        calls.count = 0;
        arrived
    }

    fn remember(&self, call: Call) {
        if self.recording.load(SeqCst) {
            let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
            let at = calls.count;
            calls.calls[at] = Some(call);
            calls.count += 1;
        }
    }

    /// What a block of `layout` takes of `System`; none for what is refused.
    fn room(&self, layout: Layout) -> Option<Layout> {
        if layout.size() >= self.refused_from.load(SeqCst) {
            return None;
        }
        let size = layout.size().max(SMALLEST).checked_next_power_of_two()?;
        Layout::from_size_align(size, layout.align()).ok()
    }

    fn is_small(room: Layout) -> bool {
        room.size() == SMALLEST && room.align() <= 16
    }

    fn take(&self, layout: Layout, from_system: impl FnOnce(Layout) -> *mut u8) -> *mut u8 {
        let Some(room) = self.room(layout) else { return null_mut() };
        if Self::is_small(room) && self.handing_on.load(SeqCst) {
            let block = self.slot.swap(null_mut(), SeqCst);
            if !block.is_null() {
                return block;
            }
        }
        from_system(room)
    }

    unsafe fn give_back(&self, block: *mut u8, layout: Layout) {
        let size = layout.size().max(SMALLEST).next_power_of_two();
        // SAFETY: the layout that the block was taken with, which was a valid one.
        let room = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let surplus = if Self::is_small(room) && self.handing_on.load(SeqCst) {
            self.slot.swap(block, SeqCst)
        } else {
            block
        };
        if !surplus.is_null() {
            let align = if surplus == block { room.align() } else { 16 };
            // SAFETY: `System` gave the block with this size; what was in the slot was taken with an
            // alignment up to 16, for which `System` frees alike.
            unsafe { System.dealloc(surplus, Layout::from_size_align_unchecked(size, align)) };
        }
    }

    unsafe fn moved(&self, block: *mut u8, layout: Layout, new: Layout) -> *mut u8 {
        // SAFETY: a valid layout that is not empty.
        let moved = self.take(new, |room| unsafe { System.alloc(room) });
        if !moved.is_null() {
            // SAFETY: two different live blocks of at least this size; the old one is the caller's to free.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(new.size()));
                self.give_back(block, layout);
            }
        }
        moved
    }
}

// SAFETY: blocks come from `System`, with at least the size and exactly the alignment asked for.
unsafe impl GlobalAlloc for Scripted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.gate.pass();
        // SAFETY: a valid layout that is not empty.
        let block = self.take(layout, |room| unsafe { System.alloc(room) });
        self.remember(Call::Alloc(layout, block));
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: a valid layout that is not empty.
        let block = self.room(layout).map_or(null_mut(), |room| unsafe { System.alloc_zeroed(room) });
        self.remember(Call::AllocZeroed(layout, block));
        block
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        self.remember(Call::Dealloc(ptr, layout));
        // SAFETY: forwarded from the caller.
        unsafe { self.give_back(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let resizing = self.resizing.load(SeqCst);
        let answer = match Layout::from_size_align(new_size, layout.align()) {
            Ok(new) if resizing != Resizing::Refusing as u8 => {
                let fits = self.room(new).is_some() && self.room(new) == self.room(layout);
                if fits && resizing == Resizing::Fitting as u8 {
                    ptr
                } else {
                    // SAFETY: the caller's block, with its layout.
                    unsafe { self.moved(ptr, layout, new) }
                }
            }
            _ => null_mut(),
        };
        self.remember(Call::Realloc(ptr, layout, new_size, answer));
        answer
    }
}
