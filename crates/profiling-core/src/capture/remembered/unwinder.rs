//! The stack by unwind rules that are remembered by address.

// unsafe: reads the stack, and tables of loaded modules; keeps what it knows behind a pointer.
#![allow(unsafe_code)]

use std::{
    ptr,
    sync::atomic::{
        AtomicPtr,
        Ordering::{Acquire, Release},
    },
};

use super::{
    modules::{self, FindObject, MODULES, Module},
    registers::Registers,
    rule::{Rule, SavedBp},
    rule_cache::{ENTRIES, RuleCache},
    stack_bounds::{StackBounds, main_stack},
};
use crate::{arena::Layout, os::Reservation};

/// Walks stacks by the rules of the program's code, which it remembers; or does not, where nothing is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinder(Option<&'static Knowledge>);

/// What is known of the program's code, in memory that is never given back.
#[derive(Debug)]
struct Knowledge {
    rules: RuleCache<'static>,
    modules: [Module; MODULES],
    find: Option<FindObject>,
    /// An address on the main thread's stack, or zero.
    main_stack: usize,
}

/// The one unwinder of a program.
#[derive(Debug)]
pub(crate) struct UnwinderOnce(AtomicPtr<Knowledge>);

impl UnwinderOnce {
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The unwinder; looks at the program's code, if that was not done before. Not for a hook, and not for
    /// two threads at once.
    pub(crate) fn get(&self) -> Unwinder {
        if self.0.load(Acquire).is_null()
            && let Some(knowledge) = Knowledge::gather()
        {
            self.0.store(knowledge, Release);
        }
        // SAFETY: null, or what `gather` made, which stays.
        Unwinder(unsafe { self.0.load(Acquire).as_ref() })
    }
}

impl Unwinder {
    /// Knows nothing, so every walk is left to the platform.
    pub(crate) const NONE: Self = Self(None);

    /// Calls `visit` for each frame from `start` outwards, with its return address and its stack pointer,
    /// until that answers false. Answers whether nothing stood in the way.
    ///
    /// Only this thread's stack is read, upwards from the start's stack pointer.
    #[inline(always)]
    pub(crate) fn walk(
        self,
        bounds: &StackBounds,
        start: Registers,
        mut visit: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let Some(knowledge) = self.0 else { return false };
        let Some(stack) = bounds.around(start.sp, knowledge.main_stack) else { return false };
        let mut frame = start;
        loop {
            if frame.ip == 0 || !visit(frame.ip, frame.sp) {
                return true;
            }
            let rule = knowledge.rule(frame.ip);
            let Some((cfa, SavedBp(bp))) = rule.cfa(&frame) else { return rule == Rule::End };
            let saved = cfa.wrapping_sub(usize::from(bp) * 8);
            if cfa <= frame.sp || saved < frame.sp || cfa > stack.end || !cfa.is_multiple_of(8) {
                return false;
            }
            // SAFETY: both lie between the frame's stack pointer and the end of the stack, on the stack of
            // this thread, and are aligned.
            let read = |address| unsafe { ptr::with_exposed_provenance::<usize>(address).read_volatile() };
            frame =
                Registers { ip: read(cfa - 8), sp: cfa, bp: if bp == 0 { frame.bp } else { read(saved) } };
        }
    }
}

impl Knowledge {
    /// None where the system has no memory.
    fn gather() -> Option<*mut Self> {
        let mut layout = Layout::default();
        let _head = layout.place::<std::sync::atomic::AtomicU8>(size_of::<Self>());
        let rules = layout.place(ENTRIES);
        let memory = Reservation::new(layout.bytes())?;
        let mut modules = [Module::default(); MODULES];
        for (module, found) in modules.iter_mut().zip(modules::at_start_up()) {
            *module = found;
        }
        // SAFETY: the memory is forgotten below, so it stays; the place is used once.
        let rules = RuleCache::new(unsafe { memory.slice(&rules) });
        let knowledge = memory.base().cast::<Self>();
        // SAFETY: the head of fresh memory, page-aligned and large enough.
        unsafe {
            knowledge.write(Self { rules, modules, find: FindObject::load(), main_stack: main_stack() });
        }
        std::mem::forget(memory);
        Some(knowledge.as_ptr())
    }

    #[inline(always)]
    fn rule(&self, return_address: usize) -> Rule {
        match self.rules.get(return_address) {
            Some(rule) => rule,
            None => self.find_rule(return_address),
        }
    }

    /// Only code that stays has its rules remembered: another library may come to the address of one that
    /// can go.
    #[cold]
    #[inline(never)]
    fn find_rule(&self, return_address: usize) -> Rule {
        let call = return_address - 1;
        let stays = self.modules.iter().find(|module| (module.start..module.end).contains(&call));
        if let Some(module) = stays {
            // SAFETY: a module of the program's start is never unloaded.
            let rule = unsafe { module.table.rule(call) };
            self.rules.put(return_address, rule);
            return rule;
        }
        match self.find.and_then(|find| find.table(call)) {
            // SAFETY: the stack returns into this module, so the program must not unload it now.
            Some(table) => unsafe { table.rule(call) },
            None => Rule::Unknown,
        }
    }
}
