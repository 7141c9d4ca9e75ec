//! S9: the provider sees what the program asked for: the same calls, in the same order.

// unsafe: calls the allocator as the compiler does.
#![allow(unsafe_code)]

use std::{
    alloc::{GlobalAlloc, Layout},
    ptr,
};

use allometer_core::{Config, Profiler};
use allometer_lines::{Form, Outcome, Random};

use crate::{
    faulty::{Asked, Call, Faulty},
    line::{Line, Part},
    subject::Subject,
    tables,
};

pub(crate) const LINE: Line = Line {
    number: "S9",
    target: "ten million random operations over a recording provider: it sees the identical calls, in order",
    parts: |subject| if subject.faulty.is_some() { const { &[Part::only(run)] } } else { &[] },
};

fn run(subject: &Subject, form: Form) -> Outcome {
    let sessions =
        [None, Some(tables::exact()), Some(tables::tiny()), Some(tables::thinned()), Some(Config::default())];
    let each = form.pick(200_000, 10_000_000) / sessions.len();
    let mut caller = Caller::new(subject);
    for config in sessions {
        let _profiler = config.map(|config| Profiler::start(config).unwrap());
        (0..each).for_each(|_| caller.call());
    }
    caller.free_all();
    let (calls, wrong) = (caller.calls, caller.wrong);
    Outcome::new().with(wrong == 0, format!("{wrong} of {calls} calls reached the provider differently"))
}

/// Makes calls at random, and looks how each of them arrives.
pub(crate) struct Caller {
    allocator: &'static dyn GlobalAlloc,
    provider: &'static Faulty,
    random: Random,
    blocks: Vec<(*mut u8, Layout)>,
    pub(crate) calls: u64,
    pub(crate) wrong: u64,
    /// Requests that were answered with null.
    pub(crate) refused: u64,
    /// Objects and bytes of those that were not.
    pub(crate) granted: (i64, i64),
}

/// Blocks that are live at a time.
const BLOCKS: usize = 500;

impl Caller {
    pub(crate) fn new(subject: &Subject) -> Self {
        Self {
            allocator: subject.allocator,
            provider: subject.faulty(),
            random: Random::new(9),
            blocks: Vec::with_capacity(BLOCKS + 1),
            calls: 0,
            wrong: 0,
            refused: 0,
            granted: (0, 0),
        }
    }

    /// One call, of any of the four.
    pub(crate) fn call(&mut self) {
        if self.blocks.is_empty() || (self.random.below(4) < 2 && self.blocks.len() < BLOCKS) {
            return self.allocate();
        }
        let at = self.random.below(self.blocks.len());
        if self.random.below(2) == 0 { self.resize(at) } else { self.free(at) }
    }

    #[inline(never)]
    fn allocate(&mut self) {
        let layout = self.layout();
        let zeroed = self.random.below(4) == 0;
        // SAFETY: the layout is not empty.
        let (asked, block) = unsafe {
            if zeroed {
                (Asked::Zeroed, self.arrives(|allocator| allocator.alloc_zeroed(layout)))
            } else {
                (Asked::Alloc, self.arrives(|allocator| allocator.alloc(layout)))
            }
        };
        self.arrived(Call { asked, block: 0, layout, size: 0, answer: block.addr() });
        if block.is_null() {
            self.refused += 1;
        } else {
            self.grant(layout.size());
            self.blocks.push((block, layout));
        }
    }

    #[inline(never)]
    fn resize(&mut self, at: usize) {
        let (block, layout) = self.blocks[at];
        let size = self.size();
        // SAFETY: a live block with its layout; the size is not zero, and far from the largest.
        let new = unsafe { self.arrives(|allocator| allocator.realloc(block, layout, size)) };
        self.arrived(Call { asked: Asked::Resize, block: block.addr(), layout, size, answer: new.addr() });
        if new.is_null() {
            self.refused += 1;
        } else {
            self.grant(size);
            self.blocks[at] = (new, Layout::from_size_align(size, layout.align()).unwrap());
        }
    }

    fn free(&mut self, at: usize) {
        let (block, layout) = self.blocks.swap_remove(at);
        self.arrives(|allocator| {
            // SAFETY: a live block with its layout, which is forgotten here.
            unsafe { allocator.dealloc(block, layout) };
            ptr::null_mut()
        });
        self.arrived(Call { asked: Asked::Free, block: block.addr(), layout, size: 0, answer: 0 });
    }

    pub(crate) fn free_all(&mut self) {
        while !self.blocks.is_empty() {
            self.free(self.blocks.len() - 1);
        }
    }

    fn grant(&mut self, size: usize) {
        self.granted.0 += 1;
        self.granted.1 += size as i64;
    }

    /// Live objects and bytes.
    pub(crate) fn live(&self) -> (i64, i64) {
        let bytes: usize = self.blocks.iter().map(|(_, layout)| layout.size()).sum();
        (self.blocks.len() as i64, bytes as i64)
    }

    /// Makes a call, which has to be one of the provider's, too.
    #[inline(never)]
    fn arrives(&mut self, call: impl FnOnce(&dyn GlobalAlloc) -> *mut u8) -> *mut u8 {
        let before = self.provider.calls.count();
        let block = call(self.allocator);
        self.calls += 1;
        self.wrong += u64::from(self.provider.calls.count() != before + 1);
        block
    }

    fn arrived(&mut self, call: Call) {
        self.wrong += u64::from(!self.provider.calls.last_was(call));
    }

    fn size(&mut self) -> usize {
        let most = 4 << self.random.below(14);
        1 + self.random.below(most)
    }

    fn layout(&mut self) -> Layout {
        let alignments = if self.random.below(20) == 0 { 13 } else { 5 };
        let align = 1 << self.random.below(alignments);
        Layout::from_size_align(self.size(), align).unwrap()
    }
}
