//! X3: many equal requests.

use allometer_contract::{Block, Recording};
use allometer_core::Config;
use allometer_lines::{Form, Outcome, Part};

use crate::{expected::Expected, line::Line, statistics::farthest, subject::Subject};

pub(crate) const LINE: Line = Line {
    number: "X3",
    target: "500 000 x 768 B at 1 KiB: each of 20 seeds within 3 SE, pooled within 0.2 %",
    parts: |_| const { &[Part::only(run)] },
};

const SIZE: usize = 768;
const INTERVAL: u64 = 1 << 10;

#[inline(never)]
fn request() {
    drop(Block::new(SIZE, 8).unwrap());
}

fn run(_: &Subject, form: Form) -> Outcome {
    let (seeds, count) = form.pick((5, 100_000), (20, 500_000));
    let expected = Expected::of(count, SIZE, INTERVAL);
    let mut off = Vec::new();
    let mut objects = 0.0;
    for seed in 0..seeds {
        let recording = Recording::start(Config::default().sample_interval(INTERVAL).seed(seed));
        let ((), span) = recording.during(|| (0..count).for_each(|_| request()));
        let values = span.at("x03_poisson::request");
        objects += values.alloc_objects as f64;
        off.push(expected.objects_off(values.alloc_objects as f64));
        off.push(expected.bytes_off(values.alloc_bytes as f64));
    }
    let worst = farthest(off);
    let all = Expected::of(seeds * count, SIZE, INTERVAL);
    let pooled = objects / all.objects - 1.0;
    // Fewer objects than the target speaks of are less exact.
    let within = 0.002f64.max(3.0 * all.objects_variance.sqrt() / all.objects);
    Outcome::new()
        .with(worst.abs() <= 3.0, format!("worst of {seeds} seeds {worst:+.2} SE"))
        .with(pooled.abs() <= within, format!("pooled {:+.3} %", pooled * 100.0))
}
