//! Where no unwind rules are remembered: every stack is left to the platform's unwinder.

use allometer_profile::RecordedModule;

use crate::{
    Unwinding,
    capture::{Visitor, frame::Frame},
};

/// Nothing is known of code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinder;

/// Nothing is known of modules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visited;

/// There is nothing to be made once.
#[derive(Debug)]
pub(crate) struct UnwinderOnce;

/// Nothing is known of a thread's stack.
#[derive(Debug)]
pub(crate) struct StackBounds;

/// No registers are read; an address in a frame tells which one it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    local: usize,
}

/// There are no walks.
#[derive(Debug)]
pub(crate) enum Walk<'a> {
    #[expect(dead_code, reason = "there are no walks")]
    Over(&'a StackBounds, std::convert::Infallible),
}

impl UnwinderOnce {
    pub(crate) const fn new() -> Self {
        Self
    }

    pub(crate) fn get(&self) -> Unwinder {
        Unwinder
    }
}

impl StackBounds {
    pub(crate) const fn new() -> Self {
        Self
    }
}

impl Registers {
    /// Those of the function that asks.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        let local = 0u8;
        Self { local: (&raw const local).addr() }
    }

    /// An address in the frame.
    pub(crate) fn sp(self) -> usize {
        self.local
    }
}

impl Unwinder {
    pub(crate) const NONE: Self = Self;

    pub(crate) fn trusting_frame_pointers(self) -> Self {
        self
    }

    pub(crate) fn leaving_all_to_the_platform(self) -> Self {
        self
    }

    pub(crate) fn unwinding(self) -> Unwinding {
        Unwinding::Portable
    }

    /// Something always stands in the way.
    pub(crate) fn walk(self, _bounds: &StackBounds, _start: Registers) -> Option<Walk<'_>> {
        None
    }

    /// A frame is its address, and nothing is known of signal handlers.
    pub(crate) fn frame(self, return_address: usize, _visited: &mut Option<Visited>) -> (usize, bool) {
        (return_address, false)
    }

    pub(crate) fn tells_modules(self) -> bool {
        true
    }

    /// Taken to be so: libraries that are unloaded can be taken for others that come to their addresses.
    pub(crate) fn is_lasting(self, _frame: Frame) -> bool {
        true
    }

    pub(crate) fn unloads(self) -> u64 {
        0
    }

    pub(crate) fn module(self, _number: usize) -> Option<RecordedModule> {
        None
    }

    pub(crate) fn lost_frames(self) -> u64 {
        0
    }
}

impl Walk<'_> {
    pub(crate) fn each(&mut self, _visitor: impl Visitor) {
        let Self::Over(_, never) = *self;
        match never {}
    }

    pub(crate) fn is_blocked(&self) -> bool {
        let Self::Over(_, never) = *self;
        match never {}
    }

    pub(crate) fn is_at_root(&self) -> bool {
        let Self::Over(_, never) = *self;
        match never {}
    }

    pub(crate) fn trusted_frames(&self) -> usize {
        let Self::Over(_, never) = *self;
        match never {}
    }
}
