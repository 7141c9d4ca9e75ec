//! The group `cost`: what the profiler takes of a program's time.
//!
//! Instructions are counted by callgrind, as `(I(2n) - I(n)) / n` of whole runs: what is done once falls away, and
//! the figures repeat. "Added" is against the same work over the same provider. What is held against the target
//! leaves out the instructions in the provider's own code: it is called for the same, but what it does depends on
//! its clock and on which of two threads comes first, by several instructions a pair. Where it matters the difference in all is told, in parentheses.

mod growth;
mod hook;
mod live;
mod mix;
mod pairs;
mod report;
pub(super) mod sample;
mod time;

pub(crate) use hook::write as write_hook;

use crate::targets::line::{Line, Needs};

/// The lines, in order.
pub(crate) const LINES: &[Line] = &[
    Line {
        number: "K1",
        target: "installed, no session: ≤ 6.5 instructions added a pair",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: |bench| pairs::added(bench, pairs::State::Idle),
    },
    Line {
        number: "K2",
        target: "session, nothing sampled, live off: ≤ 10.5 instructions added a pair",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: |bench| pairs::added(bench, pairs::State::Session),
    },
    Line {
        number: "K3",
        target: "the same, live on, table empty: ≤ 19.5 instructions added a pair",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: |bench| pairs::added(bench, pairs::State::Live),
    },
    Line {
        number: "K4",
        target: "live turned on, 1 GiB held, about 2 000 live samples (512 KiB): ≤ 10 instructions added a pair",
        needs: Needs::Nothing,
        over: None,
        ci: false,
        measure: live::at_512_kib,
    },
    Line {
        number: "K5",
        target: "the same, about 15 000 live samples (64 KiB): ≤ 15 instructions added a pair",
        needs: Needs::Nothing,
        over: None,
        ci: false,
        measure: live::at_64_kib,
    },
    Line {
        number: "K6",
        target: "K1, K2, K3 on two threads, and with one that allocates and one that frees: the same figures",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: pairs::on_threads,
    },
    Line {
        number: "K7",
        target: "growing a `Vec` by pushes to 1 MiB, no session: ≤ 20 instructions added a growth step",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: growth::added,
    },
    Line {
        number: "K8",
        target: "CPU time in a live session at 512 KiB against bare: shown, does not gate (aim ≤ 1.20 over mimalloc)",
        needs: Needs::Quiet,
        over: None,
        ci: false,
        measure: time::ratio,
    },
    Line {
        number: "K9",
        target: "a sample at call depth 20, with frame pointers, live off: ≤ 1 500 instructions",
        needs: Needs::FramePointers,
        over: None,
        ci: true,
        measure: sample::with_frame_pointers,
    },
    Line {
        number: "K10",
        target: "a sample at call depth 20, default build, paths that vary, live off: ≤ 3 000 instructions",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: sample::as_shipped,
    },
    Line {
        number: "K11",
        target: "of these, everything but the capture: ≤ 600 instructions live off, ≤ 1 000 live on",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: sample::but_the_capture,
    },
    Line {
        number: "hook",
        target: "the allocator's four calls consist of what benches/hook.txt says",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: hook::compare,
    },
    Line {
        number: "K12",
        target: "a report of 2 000 stacks, cold: ≤ 0.8 of rustfs-mimalloc-profiling's instructions",
        needs: Needs::Nothing,
        over: Some("rustfs"),
        ci: false,
        measure: report::cold,
    },
    Line {
        number: "K13",
        target: "the next one, warm: ≤ 0.5 of rustfs-mimalloc-profiling's instructions",
        needs: Needs::Nothing,
        over: Some("rustfs"),
        ci: false,
        measure: report::warm,
    },
    Line {
        number: "K14",
        target: "the same as gzip-compressed pprof: ≤ 60 KB",
        needs: Needs::Nothing,
        over: None,
        ci: true,
        measure: report::packed,
    },
    Line {
        number: "K15",
        target: "no thread that allocates waits for a report, or for the loader",
        needs: Needs::Quiet,
        over: Some("system"),
        ci: false,
        measure: report::holds_nobody,
    },
];
