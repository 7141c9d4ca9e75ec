//! What is known of the program's code, so that its stacks can be walked.

// unsafe: reads tables of loaded modules; keeps what it knows behind a pointer.
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
    rule::Rule,
    rule_cache::{ENTRIES, RuleCache},
    stack_bounds::{StackBounds, main_stack},
    walk::Walk,
};
use crate::{Unwinding, arena::Layout, os::Reservation};

/// Walks stacks by the rules of the program's code, which it remembers; or does not, where nothing is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinder {
    knowledge: Option<&'static Knowledge>,
    /// Never [`Unwinding::Automatic`].
    way: Unwinding,
}

/// What is known of the program's code, in memory that is never given back.
#[derive(Debug)]
pub(super) struct Knowledge {
    pub(super) rules: RuleCache<'static>,
    modules: [Module; MODULES],
    find: Option<FindObject>,
    /// An address on the main thread's stack, or zero.
    pub(super) main_stack: usize,
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
        let knowledge = unsafe { self.0.load(Acquire).as_ref() };
        Unwinder { knowledge, way: Unwinding::Rules }
    }
}

impl Unwinder {
    /// Knows nothing, so every walk is left to the platform.
    pub(crate) const NONE: Self = Self { knowledge: None, way: Unwinding::Portable };

    /// The same, which goes on by frame pointers where no unwind table covers the code.
    pub(crate) fn trusting_frame_pointers(self) -> Self {
        Self { way: Unwinding::FramePointers, ..self }
    }

    /// The same, which leaves every walk to the platform, and knows signal handlers for it.
    pub(crate) fn leaving_all_to_the_platform(self) -> Self {
        Self { way: Unwinding::Portable, ..self }
    }

    /// What this is to those who ask how stacks are walked.
    pub(crate) fn unwinding(self) -> Unwinding {
        if self.knowledge.is_none() { Unwinding::Portable } else { self.way }
    }

    /// The frames from `start` outwards, on this thread's stack.
    #[inline(always)]
    pub(crate) fn walk<'a>(self, bounds: &'a StackBounds, start: Registers) -> Option<Walk<'a>> {
        let knowledge = self.knowledge.filter(|_| self.way != Unwinding::Portable)?;
        Walk::new(knowledge, bounds, start, self.way == Unwinding::FramePointers)
    }

    /// Whether `return_address` is what a signal handler returns to.
    pub(crate) fn is_signal_trampoline(self, return_address: usize) -> bool {
        self.knowledge.is_some_and(|knowledge| knowledge.rule(return_address) == Rule::SIGNAL)
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
        let rules = RuleCache::new(unsafe { memory.slice(&rules) })?;
        let knowledge = memory.base().cast::<Self>();
        // SAFETY: the head of fresh memory, page-aligned and large enough.
        unsafe {
            knowledge.write(Self { rules, modules, find: FindObject::load(), main_stack: main_stack() });
        }
        std::mem::forget(memory);
        Some(knowledge.as_ptr())
    }

    #[inline(always)]
    pub(super) fn rule(&self, return_address: usize) -> Rule {
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
        let call = return_address.wrapping_sub(1);
        if let Some(module) = self.start_up_module(call) {
            // SAFETY: a module of the program's start is never unloaded.
            let rule = unsafe { module.table.rule(call) };
            self.rules.put(return_address, rule);
            return rule;
        }
        match self.find.and_then(|find| find.table(call)) {
            // SAFETY: the stack returns into this module, so the program must not unload it now.
            Some(table) => unsafe { table.rule(call) },
            None => Rule::UNKNOWN,
        }
    }

    fn start_up_module(&self, address: usize) -> Option<&Module> {
        self.modules.iter().find(|module| (module.start..module.end).contains(&address))
    }

    /// Whether `return_address` is in loaded code.
    pub(super) fn is_code(&self, return_address: usize) -> bool {
        let call = return_address.wrapping_sub(1);
        self.start_up_module(call).is_some() || self.find.is_some_and(|find| find.table(call).is_some())
    }
}
