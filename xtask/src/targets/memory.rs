//! The group `memory`: what the profiler takes of a program's memory.
//!
//! The programs tell the pages that they have and that are no file's, as the kernel counts them; what an allocator
//! takes for the program itself is the same with and without what is measured, and falls away.

mod leftover;
mod live_sample;
mod report;
mod site;
mod statics;

use crate::targets::line::{Line, Needs};

/// The lines, in order.
pub(crate) const LINES: &[Line] = &[
    Line {
        number: "M1",
        target: "installed, no session: ≤ 64 KiB of statics, ≤ 128 B a thread",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: statics::measure,
    },
    Line {
        number: "M2",
        target: "a live sample, filter included: ≤ 80 B at full load, ≤ 150 B just after growth",
        needs: Needs::Nothing,
        over: None,
        ci: false,
        measure: live_sample::measure,
    },
    Line {
        number: "M3",
        target: "a site of 30 frames: ≤ 512 B",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: site::slope,
    },
    Line {
        number: "M4",
        target: "ten million distinct stacks, default bounds: ≤ 48 MiB, totals right",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: site::ten_million,
    },
    Line {
        number: "M5",
        target: "after the stop: what the session took is back, but ≤ 1 MiB",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: leftover::measure,
    },
    Line {
        number: "M6",
        target: "allocated after a report of 2 000 stacks: ≤ 4 MiB with its names, ≤ 256 KiB without",
        needs: Needs::Nothing,
        over: Some("system"),
        ci: true,
        measure: report::kept,
    },
    Line {
        number: "M7",
        target: "the same with 50 MB of debug information: ≤ 64 MiB at most, ≤ 8 MiB after",
        needs: Needs::Nothing,
        over: Some("system"),
        ci: false,
        measure: report::of_a_large_program,
    },
];

/// One mebibyte.
const MIB: f64 = (1 << 20) as f64;
