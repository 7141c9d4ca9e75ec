//! Where no unwind rules are remembered: every stack is left to the platform's unwinder.

/// Nothing is known of code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinder;

/// There is nothing to be made once.
#[derive(Debug)]
pub(crate) struct UnwinderOnce;

/// Nothing is known of a thread's stack.
#[derive(Debug)]
pub(crate) struct StackBounds;

/// No registers are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers;

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
    pub(crate) fn here() -> Self {
        Self
    }
}

impl Unwinder {
    pub(crate) const NONE: Self = Self;

    /// Answers that something stands in the way.
    pub(crate) fn walk(
        self,
        _bounds: &StackBounds,
        _start: Registers,
        _visit: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        false
    }
}
