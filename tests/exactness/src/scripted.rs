//! An allocator whose answers a measurement chooses.

// unsafe: implements `GlobalAlloc`.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr::{self, null_mut},
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering::SeqCst},
};

/// std's `System`, with a header in front of each block that says how much the block can hold: so each
/// answer can be chosen at any time, for blocks from before too.
#[derive(Debug)]
pub struct Scripted {
    resizing: AtomicU8,
    /// Blocks get room for at least so many bytes.
    room: AtomicUsize,
    /// Whether requests for a new block are refused.
    refusing: AtomicBool,
    handing_on: AtomicBool,
    /// Freed blocks to hand on.
    slots: [AtomicPtr<u8>; SLOTS],
    /// Requests to resize, while they alternate.
    turn: AtomicU32,
}

/// How a realloc is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resizing {
    /// In place where the block has the room, else by moving.
    InPlace = 0,
    /// Always by moving.
    Moving = 1,
    /// In turn.
    Alternating = 2,
    /// With null.
    Refusing = 3,
}

/// What is written in front of a block: how much it can hold.
type Header = usize;

/// Blocks up to this size are handed on; all of them get so much room while that is on.
const HANDED_ON: usize = 256;
const SLOTS: usize = 4;

impl Scripted {
    /// One that moves a block only when it has to.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            resizing: AtomicU8::new(Resizing::InPlace as u8),
            room: AtomicUsize::new(0),
            refusing: AtomicBool::new(false),
            handing_on: AtomicBool::new(false),
            slots: [const { AtomicPtr::new(null_mut()) }; SLOTS],
            turn: AtomicU32::new(0),
        }
    }

    /// Answers reallocs in this way from now on.
    pub fn resize(&self, resizing: Resizing) {
        self.resizing.store(resizing as u8, SeqCst);
    }

    /// From now on a new block can grow in place up to so many bytes.
    pub fn leave_room(&self, bytes: usize) {
        self.room.store(bytes, SeqCst);
    }

    /// Whether requests for a new block are answered with null from now on.
    pub fn refuse(&self, on: bool) {
        self.refusing.store(on, SeqCst);
    }

    /// From now on a freed block of up to 256 bytes goes to whoever asks for such a one next, in whichever
    /// thread.
    pub fn hand_on(&self) {
        self.handing_on.store(true, SeqCst);
    }

    fn take(&self, layout: Layout, from_system: impl FnOnce(Layout) -> *mut u8) -> *mut u8 {
        if self.refusing.load(SeqCst) {
            return null_mut();
        }
        let mut room = layout.size().max(self.room.load(SeqCst));
        if self.is_handed_on(layout) {
            room = room.max(HANDED_ON);
            for slot in &self.slots {
                let block = slot.swap(null_mut(), SeqCst);
                if !block.is_null() {
                    return block;
                }
            }
        }
        let Some(whole) = whole(room, layout.align()) else { return null_mut() };
        let base = from_system(whole);
        if base.is_null() {
            return base;
        }
        // SAFETY: the block is larger than its offset, which is at least a header and a multiple of its
        // alignment.
        unsafe {
            let block = base.add(offset(layout.align()));
            block.cast::<Header>().sub(1).write(room);
            block
        }
    }

    /// A layout whose blocks all have the same room and alignment.
    fn is_handed_on(&self, layout: Layout) -> bool {
        self.handing_on.load(SeqCst) && layout.size() <= HANDED_ON && layout.align() <= 16
    }

    unsafe fn give_back(&self, block: *mut u8, layout: Layout) {
        let mut surplus = block;
        // One from before, which has less room, is not handed on.
        // SAFETY: a live block of this allocator.
        if self.is_handed_on(layout) && unsafe { room_of(block) } >= HANDED_ON {
            for slot in &self.slots {
                surplus = slot.swap(surplus, SeqCst);
                if surplus.is_null() {
                    return;
                }
            }
        }
        let align = if surplus == block { layout.align() } else { 16 };
        // SAFETY: the block is live and nobody else's. What was handed on has a room of its own and an
        // alignment up to 16, whose blocks all start at the same offset.
        unsafe {
            let offset = offset(align);
            let size = room_of(surplus) + offset;
            System.dealloc(surplus.sub(offset), Layout::from_size_align_unchecked(size, align.max(16)));
        }
    }

    unsafe fn moved(&self, block: *mut u8, layout: Layout, new: Layout) -> *mut u8 {
        // SAFETY: a valid layout that is not empty.
        let moved = self.take(new, |whole| unsafe { System.alloc(whole) });
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

impl Default for Scripted {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a block of this alignment starts in what `System` gave.
fn offset(align: usize) -> usize {
    align.max(16)
}

/// What is asked of `System` for a block that can hold `room` bytes.
fn whole(room: usize, align: usize) -> Option<Layout> {
    Layout::from_size_align(room.checked_add(offset(align))?, align.max(16)).ok()
}

/// How much a block can hold.
///
/// # Safety
///
/// A live block of a [`Scripted`].
unsafe fn room_of(block: *mut u8) -> usize {
    // SAFETY: forwarded from the caller: the header was written in front of it.
    unsafe { block.cast::<Header>().sub(1).read() }
}

// SAFETY: blocks come from `System`, with at least the size and the alignment asked for, behind a header.
unsafe impl GlobalAlloc for Scripted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: a valid layout that is not empty.
        self.take(layout, |whole| unsafe { System.alloc(whole) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let mut is_zero = false;
        let block = self.take(layout, |whole| {
            // For a larger alignment `System` would fill all that is in front of the block as well.
            is_zero = layout.align() <= 16;
            // SAFETY: a valid layout that is not empty.
            unsafe { if is_zero { System.alloc_zeroed(whole) } else { System.alloc(whole) } }
        });
        if !is_zero && !block.is_null() {
            // SAFETY: a live block of at least this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded from the caller.
        unsafe { self.give_back(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Ok(new) = Layout::from_size_align(new_size, layout.align()) else { return null_mut() };
        let resizing = self.resizing.load(SeqCst);
        if resizing == Resizing::Refusing as u8 {
            return null_mut();
        }
        let may_stay = match resizing {
            alternating if alternating == Resizing::Alternating as u8 => {
                self.turn.fetch_add(1, SeqCst).is_multiple_of(2)
            }
            other => other == Resizing::InPlace as u8,
        };
        // SAFETY: the caller's live block, with its layout.
        unsafe { if may_stay && new_size <= room_of(ptr) { ptr } else { self.moved(ptr, layout, new) } }
    }
}
