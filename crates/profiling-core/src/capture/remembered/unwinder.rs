//! What is known of the program's code, so that its stacks can be walked.

// unsafe: reads tables of loaded modules; keeps what it knows behind a pointer.
#![allow(unsafe_code)]

use std::ptr;

use allometer_profile::RecordedModule;

use super::{
    late_code::{LateCode, LateCodePlace, Visited},
    modules::{self, MODULES, Module},
    registers::Registers,
    rule::Rule,
    rule_cache::{ENTRIES, RuleCache},
    stack_bounds::{StackBounds, main_stack},
    walk::Walk,
};
use crate::{
    Unwinding,
    arena::Layout,
    capture::frame::Frame,
    os::Reservation,
    sync::{
        AtomicPtr, AtomicU8,
        Ordering::{Acquire, Release},
        const_unless_modelled,
    },
};

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
    pub(super) modules: [Module; MODULES],
    /// None where the loader cannot be asked without a lock.
    pub(super) late: Option<LateCode>,
    /// An address on the main thread's stack, or zero.
    pub(super) main_stack: usize,
}

/// The one unwinder of a program.
#[derive(Debug)]
pub(crate) struct UnwinderOnce(AtomicPtr<Knowledge>);

impl UnwinderOnce {
    const_unless_modelled! {
        pub(crate) fn new() -> Self {
            Self(AtomicPtr::new(ptr::null_mut()))
        }
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

    /// The frame that goes on at `return_address`, as a word, and whether that is what a signal handler returns to.
    /// `visited` is for the next frame of the same stack.
    pub(crate) fn frame(self, return_address: usize, visited: &mut Option<Visited>) -> (usize, bool) {
        let Some(knowledge) = self.knowledge else { return (return_address, false) };
        let (rule, word) = knowledge.frame(return_address, visited);
        (word, rule == Rule::SIGNAL)
    }

    /// Whether a frame says so if it is in code that can be unloaded. Not where the loader cannot be asked without a
    /// lock.
    pub(crate) fn tells_modules(self) -> bool {
        self.late().is_some()
    }

    /// Whether the code of a frame stays that does not say otherwise.
    pub(crate) fn is_lasting(self, frame: Frame) -> bool {
        let is_at_start_up = |knowledge: &Knowledge| knowledge.start_up_module(frame.address - 1).is_some();
        self.tells_modules() || self.knowledge.is_some_and(is_at_start_up)
    }

    /// How many libraries were ever unloaded. Asks the loader: not for a hook.
    pub(crate) fn unloads(self) -> u64 {
        modules::unloads()
    }

    /// A module that a frame is in.
    pub(crate) fn module(self, number: usize) -> Option<RecordedModule> {
        self.late()?.record(number)
    }

    /// How many frames were in modules that found no room in the list of modules, in this process.
    pub(crate) fn lost_frames(self) -> u64 {
        self.late().map(LateCode::lost).unwrap_or_default()
    }

    fn late(self) -> Option<&'static LateCode> {
        self.knowledge?.late.as_ref()
    }
}

impl Knowledge {
    /// None where the system has no memory.
    fn gather() -> Option<*mut Self> {
        let mut layout = Layout::default();
        let _head = layout.place::<AtomicU8>(size_of::<Self>());
        let rules = layout.place(ENTRIES);
        let late = LateCodePlace::new(&mut layout);
        let memory = Reservation::new(layout.bytes())?;
        let mut modules = [Module::default(); MODULES];
        for (module, found) in modules.iter_mut().zip(modules::at_start_up()) {
            *module = found;
        }
        // SAFETY: the memory is forgotten below, so it stays; the place is used once.
        let rules = RuleCache::new(unsafe { memory.slice(&rules) })?;
        // SAFETY: as above.
        let late = unsafe { late.code(&memory) };
        let knowledge = memory.base().cast::<Self>();
        // SAFETY: the head of fresh memory, page-aligned and large enough.
        unsafe {
            knowledge.write(Self { rules, modules, late, main_stack: main_stack() });
        }
        std::mem::forget(memory);
        Some(knowledge.as_ptr())
    }

    /// The rule of a frame and the frame itself, as a word. `visited` is the module of the frame before, if that can be
    /// unloaded.
    #[inline(always)]
    pub(super) fn frame(&self, return_address: usize, visited: &mut Option<Visited>) -> (Rule, usize) {
        match self.rules.get(return_address) {
            Some(rule) => (rule, return_address),
            None => self.find(return_address, visited),
        }
    }

    /// Only code that stays has its rules remembered by address: another library may come to the address of one that
    /// can go.
    #[cold]
    #[inline(never)]
    pub(super) fn find(&self, return_address: usize, visited: &mut Option<Visited>) -> (Rule, usize) {
        let call = return_address.wrapping_sub(1);
        let is_late = visited.is_some_and(|visited| visited.contains(call));
        if !is_late && let Some(module) = self.start_up_module(call) {
            // SAFETY: a module of the program's start is never unloaded.
            let rule = unsafe { module.table.rule(call) };
            self.rules.put(return_address, rule);
            return (rule, return_address);
        }
        match &self.late {
            Some(late) => late.frame(return_address, visited),
            None => (Rule::UNKNOWN, return_address),
        }
    }

    fn start_up_module(&self, address: usize) -> Option<&Module> {
        let mut known = self.modules.iter().take_while(|module| module.end != 0);
        known.find(|module| (module.start..module.end).contains(&address))
    }

    /// Whether `return_address` is in loaded code.
    pub(super) fn is_code(&self, return_address: usize) -> bool {
        let call = return_address.wrapping_sub(1);
        self.start_up_module(call).is_some() || self.late.as_ref().is_some_and(|late| late.is_code(call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Code;

    #[test]
    fn code_of_no_module_is_unknown() {
        let unwinder = UnwinderOnce::new().get();
        let own = code_of_no_module_is_unknown as *const () as usize + 1;
        let mut visited = None;
        let [here, nowhere] = [own, 0x1001].map(|address| unwinder.frame(address, &mut visited).0);
        assert_eq!(Frame::from_word(here), Frame { address: own, code: Code::Lasting });
        if unwinder.tells_modules() {
            assert_eq!(Frame::from_word(nowhere), Frame { address: 0x1001, code: Code::Unknown });
        }
    }

    #[test]
    fn where_the_loader_cannot_be_asked_only_code_from_the_start_lasts() {
        let knowledge = Knowledge::gather().unwrap();
        // SAFETY: nobody else has it, and it stays.
        let knowledge = unsafe {
            (*knowledge).late = None;
            &*knowledge
        };
        let unwinder = Unwinder { knowledge: Some(knowledge), way: Unwinding::Rules };
        assert!(!unwinder.tells_modules());
        let own = where_the_loader_cannot_be_asked_only_code_from_the_start_lasts as *const () as usize + 1;
        for (address, is_lasting) in [(own, true), (0x1001, false)] {
            let (word, _) = unwinder.frame(address, &mut None);
            assert_eq!((word, unwinder.is_lasting(Frame::from_word(word))), (address, is_lasting));
        }
    }
}

#[cfg(all(test, loom))]
mod models;
