//! What a piece of code requested.

use std::fmt;

use allometer_profile::{Profile, Sample};

use super::Budget;
use crate::{Snapshot, Span};

/// What a piece of code requested, exactly, and what of it was still live at its end.
#[derive(Debug)]
pub struct Usage {
    snapshot: Snapshot,
    scope: u32,
    /// Requests that succeeded: `alloc`, `alloc_zeroed` and `realloc` alike.
    pub allocations: u64,
    /// Requested bytes; a `realloc` counts with its new size.
    pub bytes: u64,
    /// Objects of these requests that were not freed at the end.
    pub live_objects: u64,
    /// Bytes of these objects.
    pub live_bytes: u64,
    /// The most bytes of these requests that were live at once.
    pub peak_bytes: u64,
}

/// Sites that a message names.
const NAMED: usize = 5;
/// Functions that a message names at a site.
const FRAMES: usize = 4;

impl Usage {
    pub(super) fn new(snapshot: Snapshot, scope: u32, peak_bytes: u64) -> Self {
        let totals = Span::of_scope(&snapshot, scope).totals();
        let whole = |value: f64| value as u64;
        Self {
            snapshot,
            scope,
            allocations: whole(totals.alloc.objects.value),
            bytes: whole(totals.alloc.bytes.value),
            live_objects: whole(totals.live.objects.value),
            live_bytes: whole(totals.live.bytes.value),
            peak_bytes,
        }
    }

    /// By stack, with names.
    pub fn profile(&self) -> Profile {
        Span::of_scope(&self.snapshot, self.scope).profile()
    }

    /// Asserts that the code kept within `budget`.
    ///
    /// # Panics
    ///
    /// If it did not: the message says what was exceeded, and names the sites that requested most.
    #[track_caller]
    pub fn assert_budget(&self, budget: &Budget) {
        let exceeded = [
            ("allocations", self.allocations, budget.allocations),
            ("bytes allocated", self.bytes, budget.bytes),
            ("bytes live at once", self.peak_bytes, budget.peak_bytes),
        ];
        for (what, used, most) in exceeded {
            if let Some(most) = most.filter(|most| used > *most) {
                fail(&format!("{used} {what}, where {most} are allowed:\n{self}"));
            }
        }
    }

    /// Asserts that everything that the code requested was freed at its end.
    ///
    /// # Panics
    ///
    /// If it was not: the message names the sites that hold most.
    #[track_caller]
    pub fn assert_no_leak(&self) {
        if self.live_objects != 0 {
            let Self { live_objects, live_bytes, .. } = self;
            fail(&format!("{live_objects} objects of {live_bytes} bytes were not freed:\n{self}"));
        }
    }
}

/// Fails the test that called.
#[track_caller]
#[allow(clippy::panic)]
fn fail(message: &str) {
    panic!("{message}");
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = self.profile();
        let mut samples: Vec<&Sample> = profile.samples.iter().collect();
        // Who holds most, then who requested most.
        let key =
            |sample: &Sample| (sample.figures.live.bytes.rounded(), sample.figures.alloc.bytes.rounded());
        samples.sort_by_key(|sample| std::cmp::Reverse(key(sample)));
        for sample in samples.iter().take(NAMED) {
            let (live, alloc) = (sample.figures.live, sample.figures.alloc);
            writeln!(
                f,
                "  {} requests, {} bytes ({} objects, {} bytes live) at {}",
                alloc.objects.rounded(),
                alloc.bytes.rounded(),
                live.objects.rounded(),
                live.bytes.rounded(),
                profile.place(sample, FRAMES),
            )?;
        }
        match samples.len().saturating_sub(NAMED) {
            0 => Ok(()),
            more => writeln!(f, "  and at {more} sites more"),
        }
    }
}
