//! A stack of return addresses, into a fixed array.
//!
//! On x86-64 Linux a stack is walked by rules that are `remembered`; elsewhere, and wherever a rule is
//! unusual, by the `platform`'s unwinder. A stack is a list of words, and each is a [`Frame`]: an address, and
//! which of the libraries that can be unloaded it is in. Every address but [`TRUNCATED`] is one behind the code that it
//! stands for: a return address, or the instruction that a signal interrupted and one. `docs/unwinding.md` tells it
//! from the beginning.

// unsafe: asks the platform's unwinder without its lock; reads words of an array that is partly written.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

pub(crate) use frame::{Code, Frame};

use crate::Unwinding;

mod frame;

cfg_if::cfg_if! {
    if #[cfg(all(target_os = "linux", target_arch = "x86_64"))] {
        mod remembered;
        #[cfg(fuzzing)]
        pub(crate) use remembered::fuzzing;
        use remembered::Walk;
        pub(crate) use remembered::{Registers, StackBounds, Unwinder, UnwinderOnce};
    } else {
        mod platform;
        use platform::Walk;
        pub(crate) use platform::{Registers, StackBounds, Unwinder, UnwinderOnce};
    }
}

/// Most frames that a session can ask for; the array is on the stack of whoever allocates.
pub(crate) const MAX_DEPTH: usize = 256;

/// Stands behind the last frame of a stack that was cut. No code lies at this address.
pub(crate) const TRUNCATED: usize = 1;

/// A stack of frames as words, from the allocation outwards.
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

    /// Fills it with the frames of this thread outside `frame`, which is the hook's: this one, and those of what
    /// it called, are the profiler's and are left out.
    ///
    /// At most `depth` frames, which is at most [`MAX_DEPTH`]; where there are more, [`TRUNCATED`] follows.
    #[inline(never)]
    pub(crate) fn capture(
        &mut self,
        frame: Registers,
        depth: usize,
        unwinder: Unwinder,
        bounds: &StackBounds,
    ) {
        let walked = match unwinder.walk(bounds, frame) {
            None => false,
            Some(mut walk) => {
                walk.each(|_, sp| sp == frame.sp());
                self.fill(&mut walk, depth);
                !walk.is_blocked()
            }
        };
        if !walked {
            self.capture_portably(frame, depth, unwinder);
        }
    }

    #[inline(always)]
    fn fill(&mut self, walk: &mut Walk<'_>, depth: usize) {
        let mut filling = Filling { room: &mut self.words[..depth], len: 0, is_cut: false };
        walk.each(&mut filling);
        let Filling { mut len, is_cut, .. } = filling;
        if is_cut {
            self.words[len].write(TRUNCATED);
            len += 1;
        }
        self.len = len;
    }

    /// The same by the platform's unwinder; `unwinder` tells what a signal interrupted. Frames that are here
    /// already stay if the platform does not get so far: it ends at code without unwind tables.
    #[cold]
    #[inline(never)]
    pub(crate) fn capture_portably(&mut self, frame: Registers, depth: usize, unwinder: Unwinder) {
        let seen = std::mem::take(&mut self.len);
        self.is_portable = true;
        let [mut is_outside, mut was_interrupted] = [false; 2];
        let mut visited = None;
        // SAFETY: the lock that `backtrace::trace` takes guards Windows' debug library only; elsewhere
        // an unwinder works on the caller's own stack.
        unsafe {
            backtrace::trace_unsynchronized(|outer| {
                let ip = outer.ip().addr();
                // Below the hook's own stack pointer is what the hook called. Once outside, a frame may be on
                // another stack, anywhere.
                is_outside |= outer.sp().addr() > frame.sp();
                // Some unwinders end with a frame at zero.
                if ip == 0 {
                    return false;
                }
                // As if it were a return address, as all the others are.
                let address = ip + usize::from(was_interrupted);
                let word;
                (word, was_interrupted) = unwinder.frame(address, &mut visited);
                !is_outside || self.push(word, depth)
            });
        }
        self.len = self.len.max(seen);
    }

    /// Adds a frame; false when there is no more to add.
    fn push(&mut self, frame: usize, depth: usize) -> bool {
        let Some(word) = self.words.get_mut(self.len) else { return false };
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

/// What looks at the frames of a walk.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "there are no walks")
)]
pub(crate) trait Visitor {
    /// The walk has come to a frame; false: it is to stand there.
    fn comes_to(&mut self, return_address: usize, sp: usize) -> bool;

    /// The word for the frame that the walk stands at, if that is not its return address alone.
    fn names(&mut self, word: usize);
}

impl<F: FnMut(usize, usize) -> bool> Visitor for F {
    #[inline(always)]
    fn comes_to(&mut self, return_address: usize, sp: usize) -> bool {
        self(return_address, sp)
    }

    fn names(&mut self, _word: usize) {}
}

/// Words of a stack, as they are filled.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "there are no walks")
)]
struct Filling<'a> {
    room: &'a mut [MaybeUninit<usize>],
    len: usize,
    /// Whether there are more frames than room.
    is_cut: bool,
}

impl Visitor for &mut Filling<'_> {
    #[inline(always)]
    fn comes_to(&mut self, return_address: usize, _sp: usize) -> bool {
        let Some(word) = self.room.get_mut(self.len) else {
            self.is_cut = true;
            return false;
        };
        word.write(return_address);
        self.len += 1;
        true
    }

    #[inline(always)]
    fn names(&mut self, word: usize) {
        self.room[self.len - 1].write(word);
    }
}

/// An unwinder for this program, by the stack of the caller; see [`Unwinding`].
#[inline(never)]
pub(crate) fn choose(once: &UnwinderOnce, wanted: Unwinding) -> Unwinder {
    let frame = Registers::here();
    let unwinder = once.get();
    let agrees = || {
        let [mut ours, mut platform] = [Stack::new(), Stack::new()];
        ours.capture(frame, MAX_DEPTH, unwinder, &StackBounds::new());
        platform.capture_portably(frame, MAX_DEPTH, unwinder);
        // Where the program's code has no tables the platform may see nothing, not even where it starts.
        platform.words().is_empty() || !ours.is_portable() && ours.words() == platform.words()
    };
    let reaches_root = || {
        let bounds = StackBounds::new();
        let walk = unwinder.trusting_frame_pointers().walk(&bounds, frame);
        walk.is_some_and(|mut walk| {
            walk.each(|_, _| true);
            walk.trusted_frames() > 0 && walk.is_at_root()
        })
    };
    match wanted {
        Unwinding::Portable => unwinder.leaving_all_to_the_platform(),
        Unwinding::Rules => unwinder,
        Unwinding::FramePointers => unwinder.trusting_frame_pointers(),
        Unwinding::Automatic if !agrees() => unwinder.leaving_all_to_the_platform(),
        Unwinding::Automatic if reaches_root() => unwinder.trusting_frame_pointers(),
        Unwinding::Automatic => unwinder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[inline(never)]
    fn hook(depth: usize) -> Stack {
        let frame = Registers::here();
        let [mut stack, mut platform] = [Stack::new(), Stack::new()];
        stack.capture(frame, depth, UnwinderOnce::new().get(), &StackBounds::new());
        platform.capture_portably(frame, depth, UnwinderOnce::new().get());
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
