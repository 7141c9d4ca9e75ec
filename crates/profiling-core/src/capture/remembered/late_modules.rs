//! The libraries that can be unloaded and that stacks went through: an append-only table without locks.
//!
//! As with sites, a module is written once, before one compare-and-swap publishes it, and is never moved or
//! removed. A thread that finds another's when its swap fails leaves its own unpublished.

// unsafe: writes a slot that nobody else reads yet.
#![allow(unsafe_code)]

use std::mem;

use allometer_profile::RecordedModule;

use super::{find_object::Found, late_module::LateModule};
use crate::{
    arena::{Layout, Place, Zeroed},
    capture::frame::{Code, MAX_MODULES},
    os::Reservation,
    sync::{
        AtomicU32, AtomicU64,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
        UnsafeCell, sized,
    },
};

/// A module, and the next one of its chain, as its number and one, or zero.
pub(super) struct Slot {
    next: AtomicU32,
    /// One when the module is written.
    is_written: AtomicU32,
    module: UnsafeCell<LateModule>,
}

impl Default for Slot {
    fn default() -> Self {
        // SAFETY: zero bytes are an empty module.
        let module = UnsafeCell::new(unsafe { mem::zeroed() });
        Self { next: AtomicU32::default(), is_written: AtomicU32::default(), module }
    }
}

// SAFETY: the module is written by the one thread that has taken the slot, before any other learns of it.
unsafe impl Sync for Slot {}
// SAFETY: zero bytes are an empty module; only `add` changes one, as above.
unsafe impl Zeroed for Slot {}

const CHAINS: usize = sized(1 << 10, 1);

/// Where the table's parts are in memory: some 7 MiB, of which a page is taken for two modules.
pub(super) struct LateModulesPlace {
    chains: Place<AtomicU32>,
    slots: Place<Slot>,
}

impl LateModulesPlace {
    pub(super) fn new(layout: &mut Layout) -> Self {
        Self { chains: layout.place(CHAINS), slots: layout.place(MAX_MODULES) }
    }

    /// The table in `memory`.
    ///
    /// # Safety
    ///
    /// The memory stays; the place was made with its layout and is used once.
    pub(super) unsafe fn table(&self, memory: &Reservation) -> LateModules {
        // SAFETY: forwarded from the caller.
        let (chains, slots) = unsafe { (memory.slice(&self.chains), memory.slice(&self.slots)) };
        LateModules { chains, slots, used: AtomicU32::new(0), lost: AtomicU64::new(0) }
    }
}

/// The modules that stacks went through, by number.
pub(super) struct LateModules {
    /// First module of each chain, as its number and one, or zero.
    chains: &'static [AtomicU32],
    slots: &'static [Slot],
    /// Slots that were taken.
    used: AtomicU32,
    /// Frames in modules that found no room.
    lost: AtomicU64,
}

impl LateModules {
    /// Finds the module's number, or gives it one, and whether no other is taken for it.
    ///
    /// # Safety
    ///
    /// The module that was found stays loaded during the call.
    #[inline(always)]
    pub(super) unsafe fn code(&self, found: &Found) -> (Code, bool) {
        let chain = &self.chains[chain(found)];
        let first = chain.load(Acquire);
        // SAFETY: forwarded from the caller.
        let number = unsafe { self.find(first, 0, found) };
        // SAFETY: forwarded from the caller.
        let Some(number) = number.or_else(|| unsafe { self.add(chain, first, found) }) else {
            return (Code::Unknown, false);
        };
        (Code::Late(number), self.published(number).is_certain())
    }

    /// Looks for a module from `first` of a chain up to, and not including, `end`.
    ///
    /// # Safety
    ///
    /// As above.
    #[inline(always)]
    unsafe fn find(&self, first: u32, end: u32, found: &Found) -> Option<usize> {
        let mut next = first;
        while next != end {
            let number = next as usize - 1;
            // SAFETY: forwarded from the caller.
            if unsafe { self.published(number).is(found) } {
                return Some(number);
            }
            next = self.slots[number].next.load(Relaxed);
        }
        None
    }

    /// Adds a module to a chain that begins with `first`. None: there is no room.
    ///
    /// # Safety
    ///
    /// As above.
    #[cold]
    #[inline(never)]
    unsafe fn add(&self, chain: &AtomicU32, mut first: u32, found: &Found) -> Option<usize> {
        let has_room = |used: u32| ((used as usize) < self.slots.len()).then_some(used + 1);
        let number = self.used.fetch_update(Relaxed, Relaxed, has_room).ok()? as usize;
        let slot = &self.slots[number];
        // SAFETY: this thread has taken the slot and has not published it; the module stays loaded, by the caller's
        // word.
        slot.module.with_mut(|module| unsafe { (*module).fill(found) });
        slot.is_written.store(1, Release);
        loop {
            slot.next.store(first, Relaxed);
            let Err(newer) = chain.compare_exchange(first, number as u32 + 1, AcqRel, Acquire) else {
                return Some(number);
            };
            // SAFETY: forwarded from the caller.
            if let Some(other) = unsafe { self.find(newer, first, found) } {
                return Some(other);
            }
            first = newer;
        }
    }

    /// A module whose number was found in a chain.
    #[inline(always)]
    fn published(&self, number: usize) -> &LateModule {
        // SAFETY: written before it was put into its chain, and never since.
        self.slots[number].module.with(|module| unsafe { &*module })
    }

    /// The module of a frame. None for what was no frame: wrong registers can lead a walk to any word.
    pub(super) fn record(&self, number: usize) -> Option<RecordedModule> {
        let slot = self.slots.get(number).filter(|slot| slot.is_written.load(Acquire) != 0)?;
        // SAFETY: written, and never again.
        Some(slot.module.with(|module| unsafe { &*module }).record())
    }

    /// A frame was in a module that found no room.
    pub(super) fn count_lost(&self) {
        self.lost.fetch_add(1, Relaxed);
    }

    /// How many such frames there were.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Relaxed)
    }
}

/// The chain of all modules that were ever at these addresses.
#[inline(always)]
fn chain(found: &Found) -> usize {
    let pages = found.start >> 12 ^ found.end << 8;
    pages.wrapping_mul(0x9e37_79b9_7f4a_7c15).unbounded_shr(usize::BITS - CHAINS.trailing_zeros())
}

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::remembered::find_object::FindObject;

    /// A table of its own with so many slots, in memory that is never given back.
    pub(super) fn table(slots: usize) -> LateModules {
        let mut layout = Layout::default();
        let place = LateModulesPlace::new(&mut layout);
        let memory = Reservation::new(layout.bytes()).unwrap();
        // SAFETY: the memory is forgotten below, so it stays; the place is used once.
        let table = unsafe { place.table(&memory) };
        std::mem::forget(memory);
        LateModules { slots: &table.slots[..slots], ..table }
    }

    /// The program, the C library and the loader, which stay, as if they could go.
    pub(super) fn modules() -> Option<[Found; 3]> {
        let find = FindObject::load()?;
        // SAFETY: a variable of the loader's that every program has.
        let loader = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_r_debug".as_ptr()) };
        let addresses = [modules as *const () as usize, libc::dlsym as *const () as usize, loader.addr()];
        Some(addresses.map(|address| find.at(address).unwrap()))
    }

    fn codes(table: &LateModules, modules: &[Found]) -> Vec<Code> {
        // SAFETY: they stay.
        modules.iter().map(|module| unsafe { table.code(module) }.0).collect()
    }

    #[test]
    fn a_module_keeps_its_number() {
        let Some(modules) = modules() else { return };
        let table = table(5);
        let numbers = [0, 1, 2].map(Code::Late);
        for _ in 0..3 {
            assert_eq!(codes(&table, &modules), numbers);
        }
        assert!(table.record(1).unwrap().path.contains("libc.so"), "{:?}", table.record(1));
        assert!([3, 5, usize::MAX].iter().all(|number| table.record(*number).is_none()));
        assert_eq!(table.used.load(Relaxed), 3);
    }

    #[test]
    fn what_finds_no_room_is_unknown() {
        let Some(modules) = modules() else { return };
        let table = table(2);
        for _ in 0..2 {
            assert_eq!(codes(&table, &modules), [Code::Late(0), Code::Late(1), Code::Unknown]);
        }
    }

    #[test]
    fn threads_agree_on_numbers() {
        let Some(modules) = modules() else { return };
        let modules = modules.map(|Found { start, .. }| start);
        let table = table(MAX_MODULES);
        let work = || {
            let find = FindObject::load().unwrap();
            let found = modules.map(|start| find.at(start).unwrap());
            codes(&table, &found)
        };
        let all: Vec<Vec<Code>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.iter().all(|codes| *codes == all[0]), "{all:?}");
    }
}
