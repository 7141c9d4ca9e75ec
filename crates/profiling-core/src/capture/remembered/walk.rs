//! One walk over a stack, from frame to frame.

// unsafe: reads the stack.
#![allow(unsafe_code)]

use std::ptr;

use super::{
    super::Visitor, late_code::Visited, registers::Registers, rule::Rule, stack_bounds::StackBounds,
    unwinder::Knowledge,
};

/// A walk from the innermost frame outwards.
///
/// Only this thread's stack is read, upwards from the start's stack pointer. Every frame is left by the rule of
/// its own code, so a frame pointer is followed where the tables say that the code keeps one, and only there;
/// code without tables can be taken to keep one, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    knowledge: &'static Knowledge,
    bounds: &'a StackBounds,
    trusts_frame_pointers: bool,
    /// The frame that comes next; its address is zero behind the last one.
    frame: Registers,
    /// Of the frame before.
    visited: Option<Visited>,
    /// Where the stack ends that is walked.
    end: usize,
    /// How the walk has ended.
    ended: Option<Ended>,
    /// Frames of code without tables that were left by their frame pointer.
    trusted_frames: usize,
}

/// Where the kernel puts the registers that a signal interrupted, in bytes from the stack pointer of the
/// trampoline: `uc_mcontext.gregs` of a `ucontext_t` (Linux, x86-64).
mod interrupted {
    const GREGS: usize = std::mem::offset_of!(libc::ucontext_t, uc_mcontext);
    pub(super) const BP: usize = GREGS + libc::REG_RBP as usize * 8;
    pub(super) const SP: usize = GREGS + libc::REG_RSP as usize * 8;
    pub(super) const IP: usize = GREGS + libc::REG_RIP as usize * 8;
}

/// Where a walk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    AtRoot,
    /// At code without tables, where the platform's unwinder would end as well.
    OutOfTables,
    /// Something stands in the way of this walk.
    Blocked,
}

impl<'a> Walk<'a> {
    /// None where `start` is on no stack.
    #[inline(always)]
    pub(super) fn new(
        knowledge: &'static Knowledge,
        bounds: &'a StackBounds,
        start: Registers,
        trusts_frame_pointers: bool,
    ) -> Option<Self> {
        let end = bounds.around(start.sp, knowledge.main_stack)?.end;
        Some(Self {
            knowledge,
            bounds,
            trusts_frame_pointers,
            frame: start,
            visited: None,
            end,
            ended: None,
            trusted_frames: 0,
        })
    }

    /// Shows each frame to `visitor` until that answers false; the walk then stands at the frame that got this answer.
    #[inline(always)]
    pub(crate) fn each(&mut self, mut visitor: impl Visitor) {
        // In locals, and in as few instructions as it takes: a walk has thirty frames.
        let (knowledge, rules) = (self.knowledge, self.knowledge.rules);
        let (mut frame, mut end) = (self.frame, self.end);
        loop {
            let next = if rules.is_first(frame.ip, Rule::FRAME_POINTER) {
                if !visitor.comes_to(frame.ip, frame.sp) {
                    break;
                }
                frame.next_by_frame_pointer(end)
            } else {
                // Looked at here only: an address of zero, behind the last frame, keeps no frame pointer.
                if frame.ip == 0 || !visitor.comes_to(frame.ip, frame.sp) {
                    break;
                }
                let rule = rules.get(frame.ip).unwrap_or_else(|| {
                    let (rule, word) = knowledge.find(frame.ip, &mut self.visited);
                    visitor.names(word);
                    rule
                });
                if rule == Rule::END {
                    (frame, self.ended) = (Registers::default(), Some(Ended::AtRoot));
                    break;
                }
                frame.next_by(rule, end)
            };
            if let Some(next) = next {
                frame = next;
            } else {
                self.frame = frame;
                self.step_unusually();
                (frame, end) = (self.frame, self.end);
            }
        }
        self.frame = frame;
    }

    /// Whether the walk ended because something stood in its way.
    pub(crate) fn is_blocked(&self) -> bool {
        self.ended == Some(Ended::Blocked)
    }

    /// Whether the walk ended at a frame that is known to be the outermost one.
    pub(crate) fn is_at_root(&self) -> bool {
        self.ended == Some(Ended::AtRoot)
    }

    pub(crate) fn trusted_frames(&self) -> usize {
        self.trusted_frames
    }

    /// Leaves a frame whose rule is not an offset, or leads off the stack.
    #[cold]
    #[inline(never)]
    fn step_unusually(&mut self) {
        let (rule, _) = self.knowledge.frame(self.frame.ip, &mut self.visited);
        let next = match rule {
            Rule::NO_TABLE => self.step_without_table(),
            Rule::SIGNAL => self.step_over_signal(),
            rule if rule.is_saved_below() => self.step_from_epilogue(rule),
            _ => Err(Ended::Blocked),
        };
        self.frame = next.unwrap_or_else(|ended| {
            self.ended = Some(ended);
            Registers::default()
        });
    }

    /// By the frame pointer, if that may be trusted and leads to code.
    fn step_without_table(&mut self) -> Result<Registers, Ended> {
        let next = if self.trusts_frame_pointers { self.frame.next_by_frame_pointer(self.end) } else { None };
        let next = next.filter(|next| self.knowledge.is_code(next.ip)).ok_or(Ended::OutOfTables)?;
        self.trusted_frames += 1;
        Ok(next)
    }

    /// From code that a signal interrupted after it had popped the frame pointer: the tables still say where that
    /// was saved.
    fn step_from_epilogue(&mut self, rule: Rule) -> Result<Registers, Ended> {
        let sp = self.frame.sp;
        let cfa = sp.wrapping_add(rule.cfa_offset());
        let saved = cfa.wrapping_sub(rule.saved_bp());
        let stack = self.bounds.around(saved, self.knowledge.main_stack).ok_or(Ended::Blocked)?;
        if cfa <= sp || cfa > stack.end || stack.end != self.end || !sp.is_multiple_of(8) {
            return Err(Ended::Blocked);
        }
        // SAFETY: aligned words of this thread's stack, between one that is on it and its end.
        Ok(unsafe { Registers { ip: word(cfa - 8), sp: cfa, bp: word(saved) } })
    }

    /// To the code that a signal interrupted, whose stack may be another one.
    fn step_over_signal(&mut self) -> Result<Registers, Ended> {
        let context = self.frame.sp;
        if context + size_of::<libc::ucontext_t>() > self.end {
            return Err(Ended::Blocked);
        }
        // SAFETY: words on this thread's stack, above the stack pointer, which is aligned.
        let [ip, sp, bp] = [interrupted::IP, interrupted::SP, interrupted::BP]
            .map(|offset| unsafe { word(context + offset) });
        // The word below the stack pointer is one that a walk may read.
        let lowest = sp.wrapping_sub(8);
        let stack = self.bounds.around(lowest, self.knowledge.main_stack).ok_or(Ended::Blocked)?;
        if !sp.is_multiple_of(8) {
            return Err(Ended::Blocked);
        }
        self.end = stack.end;
        // The instruction was to be executed next. As a return address it would be one that a call just before
        // it returns to, so one more is what names it.
        Ok(Registers { ip: ip.wrapping_add(1), sp, bp })
    }
}

impl Registers {
    /// The next frame of code that keeps a frame pointer. None where that is not between this frame and the
    /// `end` of the stack.
    #[inline(always)]
    fn next_by_frame_pointer(self, end: usize) -> Option<Self> {
        let sp = self.bp.wrapping_add(16);
        if sp <= self.sp || sp > end || !sp.is_multiple_of(8) {
            return None;
        }
        // SAFETY: both words are aligned and on this thread's stack: below its end, and not more than one below
        // the frame's stack pointer, where the stack of whoever walks is.
        Some(unsafe { Self { ip: word(sp - 8), sp, bp: word(sp - 16) } })
    }

    /// The next frame by a rule of offsets. None where that is not between this frame and the `end` of the
    /// stack, and for a rule that has a name.
    #[inline(always)]
    fn next_by(self, rule: Rule, end: usize) -> Option<Self> {
        let base = if rule.is_from_bp() { self.bp } else { self.sp };
        let cfa = base.wrapping_add(rule.cfa_offset());
        let is_stack = base >= self.sp && cfa >= base && cfa <= end && base.is_multiple_of(8);
        if rule.is_named() || !is_stack {
            return None;
        }
        // SAFETY: both words are on this thread's stack, between this frame's stack pointer and the stack's
        // end, and aligned: a rule saves the frame pointer within the frame.
        let read = |below| unsafe { word(cfa - below) };
        let bp = if rule.saved_bp() == 0 { self.bp } else { read(rule.saved_bp()) };
        Some(Self { ip: read(8), sp: cfa, bp })
    }
}

/// The word at `address`.
///
/// # Safety
///
/// The address is readable and aligned.
#[inline(always)]
unsafe fn word(address: usize) -> usize {
    // SAFETY: forwarded from the caller. Volatile, since the compiler does not know who wrote it.
    unsafe { ptr::with_exposed_provenance::<usize>(address).read_volatile() }
}
