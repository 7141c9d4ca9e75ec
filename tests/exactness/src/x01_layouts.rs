//! X1: at interval 1, layouts from the smallest to the largest, by all four calls.

use std::{alloc::Layout, hint::black_box};

use allometer_contract::{Block, Recording};
use allometer_core::Snapshot;
use allometer_lines::{Form, Outcome, Part};

use crate::{line::Line, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X1",
    target: "interval 1: 198 layouts from 1 B to 1 GiB, alignments to 1 GiB: to the byte, live ends at 0",
    parts: |_| const { &[Part::only(run)] },
};

const SIZES: [usize; 18] = [
    1,
    3,
    8,
    17,
    64,
    100,
    500,
    1024,
    4097,
    10_000,
    65_536,
    100_000,
    1 << 20,
    (4 << 20) + 1,
    16 << 20,
    100_000_000,
    512 << 20,
    1 << 30,
];

/// Every third power of two, from one byte to a gibibyte.
const ALIGNMENTS: usize = 11;

fn layouts() -> impl Iterator<Item = (usize, usize)> {
    (0..ALIGNMENTS).flat_map(|third| SIZES.map(|size| (size, 1 << (3 * third))))
}

/// To what a block of `size` bytes is resized: the small ones grow, the large ones shrink.
fn resized(size: usize) -> usize {
    size / 2 + 3
}

// The black boxes keep each function on the stack of its request, which a jump at its end would not.

#[inline(never)]
fn by_alloc(size: usize, align: usize) -> Option<Block> {
    black_box(Block::new(size, align))
}

#[inline(never)]
fn by_alloc_zeroed(size: usize, align: usize) -> Option<Block> {
    black_box(Block::zeroed(size, align))
}

#[inline(never)]
fn by_realloc(block: Block, size: usize) -> Option<Block> {
    black_box(block.resized(size).ok())
}

/// Whether the provider serves such a request without the sampler in front of it.
#[allow(unsafe_code, reason = "calls the provider itself, past the global allocator")]
fn is_served_bare(subject: &Subject, size: usize, align: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(size, align) else { return false };
    // SAFETY: the layout is not empty; the block goes back with its own layout.
    unsafe {
        let block = subject.provider.alloc(layout);
        if !block.is_null() {
            subject.provider.dealloc(block, layout);
        }
        !block.is_null()
    }
}

/// What is recorded, step by step.
struct Steps<'a> {
    recording: &'a Recording,
    last: Snapshot,
    faults: Vec<String>,
}

impl Steps<'_> {
    /// Since the last step exactly one request of `size` bytes was made, or none, and the live heap changed
    /// by so many objects and bytes.
    fn check(&mut self, what: &str, (size, align): (usize, usize), request: Option<usize>, live: (f64, f64)) {
        let now = self.recording.snapshot().unwrap();
        let (alloc, before, after) = {
            let span = now.since(&self.last).unwrap().totals();
            (span.alloc, self.last.totals().live, span.live)
        };
        let expected = request.map_or((0.0, 0.0), |size| (1.0, size as f64));
        let grown = (after.objects.value - before.objects.value, after.bytes.value - before.bytes.value);
        if (alloc.objects.value, alloc.bytes.value) != expected || grown != live {
            self.faults.push(format!("{what} of {size} B at {align}: {alloc:?}, live by {grown:?}"));
            // Without what the message itself took.
            self.last = self.recording.snapshot().unwrap();
        } else {
            self.last = now;
        }
    }
}

/// Whether every call is tried on a layout. The quick form leaves out those for which a provider fills or
/// copies more than 32 MiB, which takes most of the time.
fn is_quick(size: usize, align: usize) -> bool {
    size <= 32 << 20 || align <= 8
}

fn run(subject: &Subject, form: Form) -> Outcome {
    let is_served = |&(size, align): &(usize, usize)| {
        is_served_bare(subject, size, align) && is_served_bare(subject, resized(size), align)
    };
    let served: Vec<_> = layouts().filter(is_served).collect();
    let by_all_calls = |&&(size, align): &&(usize, usize)| form == Form::Full || is_quick(size, align);

    let recording = Recording::exact();
    let last = recording.snapshot().unwrap();
    let mut steps = Steps { recording: &recording, last, faults: Vec::new() };
    for &(size, align) in &served {
        let layout = (size, align);
        let (bytes, smaller) = (size as f64, resized(size) as f64);
        // A null is a fault as well: the step finds no request.
        let block = by_alloc(size, align);
        steps.check("alloc", layout, Some(size), (1.0, bytes));
        drop(block);
        steps.check("dealloc", layout, None, (-1.0, -bytes));
        if by_all_calls(&&layout) {
            let block = by_alloc_zeroed(size, align);
            steps.check("alloc_zeroed", layout, Some(size), (1.0, bytes));
            let block = block.and_then(|block| by_realloc(block, resized(size)));
            steps.check("realloc", layout, Some(resized(size)), (0.0, smaller - bytes));
            drop(block);
            steps.check("dealloc after realloc", layout, None, (-1.0, -smaller));
        }
    }
    let faults = steps.faults;
    let end = recording.so_far();

    let refused = layouts().count() - served.len();
    let all = served.iter().filter(by_all_calls).count();
    // A provider may refuse one alignment, which is its own affair.
    let mut outcome = Outcome::new()
        .with(faults.is_empty(), format!("{} steps wrong", faults.len()))
        .with(all > 0, format!("{} layouts, {all} by all four calls", served.len()))
        .with(refused <= SIZES.len(), format!("{refused} refused by the provider itself"));
    if let Some(first) = faults.first() {
        outcome = outcome.with(false, first);
    }
    let bytes = |sizes: &mut dyn Iterator<Item = usize>| sizes.map(|size| size as i64).sum::<i64>();
    let of_all = || served.iter().filter(by_all_calls).map(|&(size, _)| size);
    let expected = [
        ("by_alloc", served.len(), bytes(&mut served.iter().map(|&(size, _)| size))),
        ("by_alloc_zeroed", all, bytes(&mut of_all())),
        ("by_realloc", all, bytes(&mut of_all().map(resized))),
    ];
    let (mut off, mut live) = (0, 0);
    for (function, count, bytes) in expected {
        let values = end.at(&format!("x01_layouts::{function}"));
        off += (values.alloc_bytes - bytes).abs() + (values.alloc_objects - count as i64).abs();
        live += values.live_bytes + values.live_objects;
    }
    let bytes: i64 = expected.iter().map(|(_, _, bytes)| bytes).sum();
    outcome
        .with(off == 0, format!("pprof off by {off} of {bytes} B"))
        .with(live == 0, format!("{live} live at the end"))
}
