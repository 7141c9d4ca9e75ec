//! What a start learns from the hook: that it is there, over which provider, behind which shim.
//!
//! Between a program and the hook stand a few functions that the compiler makes (`__rust_alloc` and the
//! like), or none where it could jump through them. Their names differ by compiler and by build, so they
//! are found by address: one request of each kind is made from a known function, and whatever stands
//! between that function and the hook is the shim.

// unsafe: allocates by hand, and asks the unwinder where a function starts.
#![allow(unsafe_code)]

use std::{
    alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc},
    ffi::c_void,
    hint::black_box,
    sync::OnceLock,
};

use allometer_provider::{Provider, ProviderStats};

use crate::{
    capture::{Frame, Registers, Stack, TRUNCATED, Unwinder},
    thread::Thread,
};

/// What the compiler calls its shim, for the builds in which it is inlined into the caller and has no
/// address of its own.
pub(crate) const SHIMS: &[&str] = &["__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc"];

/// The kinds of request that have a shim each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Alloc,
    Zeroed,
    Realloc,
}

const REQUESTS: [Request; 3] = [Request::Alloc, Request::Zeroed, Request::Realloc];

/// Frames of an answer that are looked at: those of the shim, and some of the asker's callers.
const DEPTH: usize = 16;
/// Most frames of a shim: the hook's own methods, and two or three that the compiler makes.
const SHIM_DEPTH: usize = 6;

/// What the hook says of its provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Installed {
    pub(crate) name: &'static str,
    /// Functions of its own, in which it takes stacks if it samples for itself.
    pub(crate) own_functions: &'static [&'static str],
    pub(crate) stats: Option<fn() -> ProviderStats>,
    pub(crate) purge: Option<fn() -> bool>,
    pub(crate) good_size: Option<fn(usize) -> usize>,
}

impl Installed {
    pub(crate) fn of(provider: &impl Provider) -> Self {
        Self {
            name: provider.name(),
            own_functions: &[],
            stats: provider.stats_function(),
            purge: provider.purge_function(),
            good_size: provider.good_size_function(),
        }
    }
}

/// The hook's answer to one probe.
#[derive(Debug)]
struct Answer {
    provider: Installed,
    /// The stack as the hook sees it.
    stack: Stack,
}

/// The answers to the probes of one session's start.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    answers: [OnceLock<Answer>; REQUESTS.len()],
    shims: OnceLock<Shims>,
}

/// Where functions of the shim start, of each kind of request; the rest is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shims([[usize; SHIM_DEPTH]; REQUESTS.len()]);

impl Shims {
    fn contain(&self, word: usize) -> bool {
        let function = || function_of(Frame::from_word(word).address).max(1);
        // Without a shim, which is usual in a release build, nothing is looked up.
        self != &Self::default() && self.0.as_flattened().contains(&function())
    }
}

impl Probe {
    /// For the hook: answers a probe. `frame` is as for [`Stack::capture`].
    pub(crate) fn answer(&self, request: Request, provider: Installed, frame: Registers) {
        let mut stack = Stack::new();
        stack.capture_portably(frame, DEPTH, Unwinder::NONE);
        let _ = self.answers[request as usize].set(Answer { provider, stack });
    }

    /// Where nobody is asked: the provider samples for itself.
    pub(crate) fn set_provider(&self, provider: Installed) {
        let _ = self.answers[0].set(Answer { provider, stack: Stack::new() });
    }

    /// Makes one request of each kind on this thread; answers whether the hook answered them.
    pub(crate) fn ask(&self, thread: &Thread) -> bool {
        let shims = REQUESTS.map(|request| {
            let asked_from = ask_one(thread, request);
            let answer = self.answers[request as usize].get();
            answer.map(|answer| shims_between(answer.stack.words(), asked_from.words())).unwrap_or_default()
        });
        let _ = self.shims.set(Shims(shims));
        self.provider().is_some()
    }

    /// The provider, if the hook answered.
    pub(crate) fn provider(&self) -> Option<Installed> {
        self.answers.iter().find_map(|answer| answer.get()).map(|answer| answer.provider)
    }

    /// `stack` without the shim's frames at its leaf.
    pub(crate) fn without_shim(&self, stack: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
        let shims = self.shims.get().copied().unwrap_or_default();
        stack.skip_while(move |frame| shims.contain(*frame))
    }
}

/// Makes one request, and answers the stack outside of this function.
#[inline(never)]
fn ask_one(thread: &Thread, request: Request) -> Stack {
    let mut outside = Stack::new();
    outside.capture_portably(Registers::here(), DEPTH, Unwinder::NONE);
    let layout = Layout::new::<[u64; 4]>();
    // SAFETY: the layout has a size; each block is freed with the layout that it has then; a null is
    // not used.
    unsafe {
        // Inside, so that the session does not begin with a request of the profiler's own.
        let block = match request {
            Request::Realloc => thread.inside(|| alloc(layout)),
            Request::Alloc | Request::Zeroed => std::ptr::null_mut(),
        };
        let asking = thread.ask();
        let block = black_box(match request {
            Request::Alloc => alloc(layout),
            Request::Zeroed => alloc_zeroed(layout),
            Request::Realloc if block.is_null() => block,
            Request::Realloc => realloc(block, layout, layout.size()),
        });
        drop(asking);
        if !block.is_null() {
            dealloc(block, layout);
        }
    }
    outside
}

/// The functions between the hook, whose stack is `seen`, and the asker, whose callers are `outside`.
fn shims_between(seen: &[usize], outside: &[usize]) -> [usize; SHIM_DEPTH] {
    // Either stack may have been cut, so only what both hold is compared.
    let same = |(a, b): (&usize, &usize)| a == b || *a == TRUNCATED || *b == TRUNCATED;
    let agrees = |shims: &usize| seen[shims + 1..].iter().zip(outside).all(same);
    let count = (0..seen.len().min(SHIM_DEPTH + 1)).find(agrees).unwrap_or(0);
    std::array::from_fn(|shim| if shim < count { function_of(seen[shim]) } else { 0 })
}

/// Where the function that `return_address` lies in starts, or zero.
fn function_of(return_address: usize) -> usize {
    unsafe extern "C" {
        /// Itanium C++ ABI, level I: base ABI, 1.6.3.
        fn _Unwind_FindEnclosingFunction(pc: *mut c_void) -> *mut c_void;
    }
    let call = std::ptr::without_provenance_mut(return_address.saturating_sub(1));
    // SAFETY: takes any address, and answers null for one that no unwind table covers.
    unsafe { _Unwind_FindEnclosingFunction(call) }.addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn stack_here() -> Stack {
        let mut stack = Stack::new();
        stack.capture_portably(Registers::here(), DEPTH, Unwinder::NONE);
        std::hint::black_box(stack)
    }

    #[test]
    fn what_stands_between_is_the_shim() {
        let stack = stack_here();
        let [first, second, third] = [0, 1, 2].map(|frame| function_of(stack.words()[frame]));
        let between = |outside: &[usize]| shims_between(stack.words(), outside);
        assert_eq!(between(&stack.words()[1..]), [0; SHIM_DEPTH]);
        assert_eq!(between(&stack.words()[2..]), [first, 0, 0, 0, 0, 0]);
        assert_eq!(between(&stack.words()[4..6]), [first, second, third, 0, 0, 0]);
        // A stack that was cut agrees with what goes on behind the cut.
        let outside = [&stack.words()[2..4], &[TRUNCATED]].concat();
        assert_eq!(between(&outside), [first, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_stack_loses_the_shim_at_its_leaf_only() {
        let words = stack_here().words().to_vec();
        let probe = Probe::default();
        assert!(probe.without_shim(words.iter().copied()).eq(words.iter().copied()));
        let mut shims = Shims::default();
        shims.0[1][0] = function_of(words[0]);
        probe.shims.set(shims).unwrap();
        let stack = [words[0], words[1], words[0]];
        assert!(probe.without_shim(stack.into_iter()).eq([words[1], words[0]]));
    }

    #[test]
    fn nobody_answers_where_no_hook_is_installed() {
        let probe = Probe::default();
        assert!(!probe.ask(&Thread::new()));
        assert!(probe.provider().is_none());
    }
}
