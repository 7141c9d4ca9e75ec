//! S13: beside a CPU profiler, whose handler walks stacks while the hook does.

use std::time::Duration;

use allometer_contract::Decoded;
use allometer_core::{Config, Profiler, Unwinding};
use allometer_lines::{Form, Outcome};
use pprof::ProfilerGuardBuilder;

use crate::{
    line::{Line, Part},
    load,
};

pub(crate) const LINE: Line = Line {
    number: "S13",
    target: "beside a CPU profiler at 999 Hz, 8 threads, 60 s: no crash or hang, both profiles filled",
    parts: |_| {
        const {
            &[
                Part::new("by rules", |_, form| beside_a_cpu_profiler(Unwinding::Automatic, form)),
                Part::new("by the platform", |_, form| beside_a_cpu_profiler(Unwinding::Portable, form)),
            ]
        }
    },
};

fn beside_a_cpu_profiler(unwinding: Unwinding, form: Form) -> Outcome {
    let time = Duration::from_secs(form.pick(2, 60));
    let mut profiler = Profiler::start(Config::default().sample_interval(4096).unwinding(unwinding)).unwrap();
    let cpu = ProfilerGuardBuilder::default().frequency(999).build().unwrap();
    let mut reports = 0;
    load::beside(8, |_| {
        let end = std::time::Instant::now() + time;
        while std::time::Instant::now() < end {
            reports += usize::from(!profiler.report().unwrap().is_empty());
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let stacks = cpu.report().build_unresolved().unwrap().data;
    let signals: isize = stacks.values().sum();
    drop(cpu);
    let heap = Decoded::new(&profiler.snapshot().unwrap().profile().to_pprof()).at("load::made");
    Outcome::new()
        .with(signals > 0, format!("{signals} signals"))
        .with(heap.alloc_objects > 0, format!("about {} objects", heap.alloc_objects))
        .with(heap.live_objects == 0, format!("live at the end {}", heap.live_objects))
        .with(reports > 0, format!("{reports} reports"))
}
