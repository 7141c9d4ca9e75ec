//! A stack of return addresses, into a fixed array.
//!
//! On x86-64 Linux a stack is walked by rules that are `remembered`; elsewhere, and wherever a rule is
//! unusual, by the `platform`'s unwinder.

// unsafe: asks the platform's unwinder without its lock; reads words of an array that is partly written.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

cfg_if::cfg_if! {
    if #[cfg(all(target_os = "linux", target_arch = "x86_64"))] {
        mod remembered;
        use remembered::Registers;
        pub(crate) use remembered::{StackBounds, Unwinder, UnwinderOnce};
    } else {
        mod platform;
        use platform::Registers;
        pub(crate) use platform::{StackBounds, Unwinder, UnwinderOnce};
    }
}

/// Most frames that a session can ask for; the array is on the stack of whoever allocates.
pub(crate) const MAX_DEPTH: usize = 256;

/// Stands behind the last frame of a stack that was cut. No code lies at this address.
pub(crate) const TRUNCATED: usize = 1;

/// A stack of return addresses, from the allocation outwards.
///
/// It is filled in place and its room is not cleared before, which would cost as much as walking.
#[derive(Debug)]
pub(crate) struct Stack {
    words: [MaybeUninit<usize>; MAX_DEPTH + 1],
    /// How many words were written, from the first on.
    len: usize,
    is_portable: bool,
}

impl Stack {
    /// An empty stack.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { words: [const { MaybeUninit::uninit() }; MAX_DEPTH + 1], len: 0, is_portable: false }
    }

    /// Fills it with the frames of this thread outside `anchor`, which is the address of a local variable
    /// of the hook: the frame that holds it, and what it called, is the profiler's and is left out.
    ///
    /// At most `depth` frames, which is at most [`MAX_DEPTH`]; where there are more, [`TRUNCATED`] follows.
    #[inline(never)]
    pub(crate) fn capture(&mut self, anchor: usize, depth: usize, unwinder: Unwinder, bounds: &StackBounds) {
        self.len = 0;
        let start = Registers::here();
        // A frame's stack pointer at its call lies below its own variables, and above those of everything
        // that it called.
        let visit = |ip, sp| sp <= anchor || self.push(ip, depth);
        if !unwinder.walk(bounds, start, visit) {
            self.capture_portably(anchor, depth);
        }
    }

    /// The same by the platform's unwinder.
    #[cold]
    #[inline(never)]
    pub(crate) fn capture_portably(&mut self, anchor: usize, depth: usize) {
        self.len = 0;
        self.is_portable = true;
        // SAFETY: the lock that `backtrace::trace` takes guards Windows' debug library only; elsewhere
        // an unwinder works on the caller's own stack.
        unsafe {
            backtrace::trace_unsynchronized(|frame| {
                frame.sp().addr() <= anchor || self.push(frame.ip().addr(), depth)
            });
        }
    }

    /// Adds a frame; false when there is no more to add.
    #[inline(always)]
    fn push(&mut self, frame: usize, depth: usize) -> bool {
        // Some unwinders end with a frame at zero.
        let Some(word) = self.words.get_mut(self.len).filter(|_| frame != 0) else { return false };
        let room = self.len < depth;
        word.write(if room { frame } else { TRUNCATED });
        self.len += 1;
        room
    }

    /// Whether the platform's unwinder was needed.
    pub(crate) fn is_portable(&self) -> bool {
        self.is_portable
    }

    pub(crate) fn words(&self) -> &[usize] {
        let written: *const [MaybeUninit<usize>] = &raw const self.words[..self.len];
        // SAFETY: `push` has written so many words.
        unsafe { &*(written as *const [usize]) }
    }
}

/// An unwinder for this program: the one that remembers rules, if it agrees with the platform's on the stack
/// of the caller.
#[inline(never)]
pub(crate) fn choose(once: &UnwinderOnce) -> Unwinder {
    let anchor = 0u8;
    let anchor = (&raw const anchor).addr();
    let unwinder = once.get();
    let [mut ours, mut platform] = [Stack::new(), Stack::new()];
    ours.capture(anchor, MAX_DEPTH, unwinder, &StackBounds::new());
    platform.capture_portably(anchor, MAX_DEPTH);
    let agrees = !ours.is_portable() && ours.words() == platform.words();
    if agrees { unwinder } else { Unwinder::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn hook(depth: usize) -> Stack {
        let anchor = 0u8;
        let anchor = (&raw const anchor).addr();
        let [mut stack, mut platform] = [Stack::new(), Stack::new()];
        stack.capture(anchor, depth, UnwinderOnce::new().get(), &StackBounds::new());
        platform.capture_portably(anchor, depth);
        assert!(!stack.is_portable());
        assert_eq!(stack.words(), platform.words());
        stack
    }

    /// Calls itself, and keeps a frame of its own each time.
    #[inline(never)]
    fn recurse(calls: usize, depth: usize) -> Stack {
        let stack = if calls == 0 { hook(depth) } else { recurse(calls - 1, depth) };
        black_box(calls);
        stack
    }

    #[test]
    fn the_hook_is_not_on_its_stack() {
        let stack = recurse(0, MAX_DEPTH);
        let mut name = String::new();
        backtrace::resolve((stack.words()[0] - 1) as *mut _, |symbol| {
            name = symbol.name().map(|name| name.to_string()).unwrap_or_default();
        });
        assert!(name.contains("recurse"), "{name}");
        assert!(!stack.words().contains(&0));
    }

    #[test]
    fn a_deep_stack_is_cut_at_its_root_end() {
        let stack = recurse(40, 30);
        assert_eq!(stack.words().len(), 31);
        assert_eq!(stack.words().last(), Some(&TRUNCATED));
        // Recursion returns to one address: all but the innermost frames are equal.
        assert!(stack.words()[1..30].iter().all(|frame| *frame == stack.words()[1]));
        let whole = recurse(40, MAX_DEPTH);
        assert!(whole.words().len() > 41 && whole.words().last() != Some(&TRUNCATED));
        assert_eq!(recurse(400, MAX_DEPTH).words().len(), MAX_DEPTH + 1);
    }
}
