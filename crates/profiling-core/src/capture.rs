//! A stack of return addresses, into a fixed array.

// unsafe: asks the unwinder without its lock.
#![allow(unsafe_code)]

/// Most frames that a session can ask for; the array is on the stack of whoever allocates.
pub(crate) const MAX_DEPTH: usize = 256;

/// Stands behind the last frame of a stack that was cut. No code lies at this address.
pub(crate) const TRUNCATED: usize = 1;

/// A stack of return addresses, from the allocation outwards.
#[derive(Debug)]
pub(crate) struct Stack {
    words: [usize; MAX_DEPTH + 1],
    len: usize,
}

impl Stack {
    /// The frames of this thread outside `anchor`, which is the address of a local variable of the
    /// hook: the frame that holds it, and what it called, is the profiler's and is left out.
    ///
    /// At most `depth` frames; where there are more, [`TRUNCATED`] follows.
    #[inline(never)]
    pub(crate) fn capture(anchor: usize, depth: usize) -> Self {
        let mut stack = Self { words: [0; MAX_DEPTH + 1], len: 0 };
        // SAFETY: the lock that `backtrace::trace` takes guards Windows' debug library only; elsewhere
        // an unwinder works on the caller's own stack.
        unsafe {
            backtrace::trace_unsynchronized(|frame| {
                // A frame's stack pointer at its call lies below its own variables, and above those of
                // everything that it called.
                if frame.sp().addr() <= anchor {
                    return true;
                }
                stack.push(frame.ip().addr(), depth)
            });
        }
        stack
    }

    /// Adds a frame; false when there is no more to add.
    fn push(&mut self, frame: usize, depth: usize) -> bool {
        // Some unwinders end with a frame at zero.
        if frame == 0 {
            return false;
        }
        let room = self.len < depth;
        self.words[self.len] = if room { frame } else { TRUNCATED };
        self.len += 1;
        room
    }

    pub(crate) fn words(&self) -> &[usize] {
        &self.words[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn hook(depth: usize) -> Stack {
        let anchor = 0u8;
        Stack::capture((&raw const anchor).addr(), depth)
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
