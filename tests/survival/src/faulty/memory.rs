//! Blocks of powers of two, from one range of addresses, in free lists without locks.

use std::{
    alloc::Layout,
    ptr,
    sync::atomic::{
        AtomicPtr, AtomicU64, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed},
    },
};

/// Whoever interrupts it, or is forked off it, finds it in order: each change is one compare-and-swap.
#[derive(Debug)]
pub(super) struct Memory {
    /// Where it begins; null: not reserved yet.
    base: AtomicPtr<u8>,
    /// Bytes handed out from the beginning.
    used: AtomicUsize,
    /// The first free block of each size, and how often that has changed.
    free: [AtomicU64; CLASSES],
}

/// Addresses; memory is taken as it is touched.
const BYTES: usize = 1 << 36;
/// The smallest block, which has room for the next one's address.
const SMALLEST: u32 = 4;
/// Blocks of 2⁴ to 2³¹ bytes.
const CLASSES: usize = 28;
/// Bits of an address in the head of a list.
const ADDRESS: u32 = 48;

impl Memory {
    pub(super) const fn new() -> Self {
        Self {
            base: AtomicPtr::new(ptr::null_mut()),
            used: AtomicUsize::new(0),
            free: [const { AtomicU64::new(0) }; CLASSES],
        }
    }

    pub(super) fn take(&self, layout: Layout) -> *mut u8 {
        let Some((class, size)) = class_of(layout) else { return ptr::null_mut() };
        let block = self.take_free(class);
        if block.is_null() { self.take_new(size) } else { block }
    }

    fn take_free(&self, class: usize) -> *mut u8 {
        let list = &self.free[class];
        let mut head = list.load(Acquire);
        loop {
            let block = ptr::with_exposed_provenance_mut::<u8>((head & ((1 << ADDRESS) - 1)) as usize);
            if block.is_null() {
                return block;
            }
            // It may be somebody's by now, who writes here; then the count has changed, and what was read is
            // not used.
            // SAFETY: memory of ours, which stays mapped, aligned for a word; atomic, since it may be written.
            let next = unsafe { (*block.cast::<AtomicU64>()).load(Relaxed) } & ((1 << ADDRESS) - 1);
            let changes = (head >> ADDRESS).wrapping_add(1) << ADDRESS;
            match list.compare_exchange_weak(head, changes | next, AcqRel, Acquire) {
                Ok(_) => return block,
                Err(other) => head = other,
            }
        }
    }

    fn take_new(&self, size: usize) -> *mut u8 {
        let base = self.base();
        if base.is_null() {
            return base;
        }
        // Blocks lie at multiples of their size, so they are as aligned as asked for.
        let end = |used: usize| used.next_multiple_of(size) + size;
        let fits = |used: usize| Some(end(used)).filter(|end| *end <= BYTES);
        match self.used.fetch_update(AcqRel, Relaxed, fits) {
            Ok(used) => base.wrapping_add(end(used) - size),
            Err(_) => ptr::null_mut(),
        }
    }

    /// Where the memory begins, at a multiple of its size.
    fn base(&self) -> *mut u8 {
        let base = self.base.load(Acquire);
        if !base.is_null() {
            return base;
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous private mapping at an address of the system's choice (mmap(2)).
        let all = unsafe { libc::mmap(ptr::null_mut(), 2 * BYTES, access, flags, -1, 0) };
        if all == libc::MAP_FAILED {
            return ptr::null_mut();
        }
        let base = all.cast::<u8>().wrapping_add(all.align_offset(BYTES));
        let _ = base.expose_provenance();
        // Whoever comes second, which happens once at most, leaves addresses behind.
        match self.base.compare_exchange(ptr::null_mut(), base, AcqRel, Acquire) {
            Ok(_) => base,
            Err(first) => first,
        }
    }

    /// # Safety
    ///
    /// A live block of this layout, which its owner gives up.
    pub(super) unsafe fn give_back(&self, block: *mut u8, layout: Layout) {
        let Some((class, _)) = class_of(layout) else { return };
        let list = &self.free[class];
        let mut head = list.load(Acquire);
        loop {
            // SAFETY: the caller's block, with room for a word; somebody who is too late may read it meanwhile.
            unsafe { (*block.cast::<AtomicU64>()).store(head & ((1 << ADDRESS) - 1), Relaxed) };
            let changes = (head >> ADDRESS).wrapping_add(1) << ADDRESS;
            match list.compare_exchange_weak(head, changes | block.addr() as u64, AcqRel, Acquire) {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }

    /// In place where the block has room, else elsewhere; null, and the block as it was, without memory.
    ///
    /// # Safety
    ///
    /// A live block of this layout; the new one has the same alignment.
    pub(super) unsafe fn resize(&self, block: *mut u8, layout: Layout, new: Layout) -> *mut u8 {
        if class_of(layout) == class_of(new) {
            return block;
        }
        let moved = self.take(new);
        if !moved.is_null() {
            // SAFETY: two live blocks of at least this size; the old one is the caller's to give up.
            unsafe {
                ptr::copy_nonoverlapping(block, moved, layout.size().min(new.size()));
                self.give_back(block, layout);
            }
        }
        moved
    }
}

/// The list of the blocks that a layout fits into, and their size.
fn class_of(layout: Layout) -> Option<(usize, usize)> {
    let size = layout.size().max(layout.align()).max(1 << SMALLEST).checked_next_power_of_two()?;
    let class = size.trailing_zeros() - SMALLEST;
    ((class as usize) < CLASSES).then_some((class as usize, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn blocks_are_apart_and_aligned_and_come_again() {
        let memory = Memory::new();
        let layouts = [(1, 1), (16, 16), (17, 1), (100, 64), (8, 4096), (5000, 8), (1 << 20, 1 << 16)];
        let layouts = layouts.map(|(size, align)| Layout::from_size_align(size, align).unwrap());
        let mut blocks = Vec::new();
        for layout in layouts.into_iter().cycle().take(700) {
            let block = memory.take(layout);
            assert!(!block.is_null() && block.addr().is_multiple_of(layout.align()));
            blocks.push((block, layout));
        }
        blocks.sort_by_key(|(block, _)| block.addr());
        assert!(blocks.windows(2).all(|two| two[0].0.addr() + two[0].1.size() <= two[1].0.addr()));
        let first: HashSet<usize> = blocks.iter().map(|(block, _)| block.addr()).collect();
        // SAFETY: taken above with these layouts, and given back once.
        blocks.iter().for_each(|(block, layout)| unsafe { memory.give_back(*block, *layout) });
        let again: HashSet<usize> = blocks.iter().map(|(_, layout)| memory.take(*layout).addr()).collect();
        assert_eq!(first, again);
        assert!(memory.take(Layout::from_size_align(1 << 40, 8).unwrap()).is_null());
    }
}
