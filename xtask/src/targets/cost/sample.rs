//! K9, K10, K11: one sample, at the end of a call path of twenty functions.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Samples of a run: so many that each path was seen before the second half.
const SAMPLES: u64 = 4096;
/// Distinct call paths.
const PATHS: u64 = 1024;
/// The function that captures a stack, by the end of its path.
const CAPTURE: &str = "::capture::Stack::capture";
/// The function that takes a sampled object out when it is freed.
const FREED: &str = "::recorder::Recorder::freed";

/// What a sample takes, in instructions.
struct Sample {
    total: f64,
    /// Of these, in the capture of its stack; zero where that is not told apart.
    capture: f64,
    /// And in the end of its object, which is freed at once.
    freed: f64,
}

impl Sample {
    /// Of every allocation at `paths` call paths, against the same without a session.
    fn measure(bench: &Bench, program: Program, paths: u64, live: bool) -> Result<Self, Error> {
        let paths = format!("paths={paths}");
        let idle = bench.count(bench.idle(program), "deep", SAMPLES, &[&paths])?;
        let session = [paths.as_str(), "interval=1", if live { "live=true" } else { "live=false" }];
        let sampled = bench.count(program, "deep", SAMPLES, &session)?;
        let total = sampled.but_the_provider() - idle.but_the_provider();
        let is_ours = bench.peer().is_none();
        let capture = if is_ours { sampled.inside(CAPTURE)? } else { 0.0 };
        let freed = if is_ours && live { sampled.inside(FREED)? } else { 0.0 };
        Ok(Self { total, capture, freed })
    }

    fn but_the_capture(&self) -> f64 {
        self.total - self.capture - self.freed
    }
}

/// K9.
pub(super) fn with_frame_pointers(bench: &Bench) -> Result<Figure, Error> {
    let program = Program::ProfiledWithFramePointers;
    let Sample { total, capture, .. } = Sample::measure(bench, program, 1, false)?;
    let vary = Sample::measure(bench, program, PATHS, false)?;
    if bench.peer().is_some() {
        return Ok(Figure::of(total <= 1500.0, format!("{total:.0}")));
    }
    let frames = frames(bench, program)?;
    let figures = format!(
        "{total:.0}, of them {capture:.0} in the capture; {:.0} on paths that vary; {frames} frames are the program's",
        vary.total
    );
    Ok(Figure::of(total <= 1500.0, figures))
}

/// K10.
pub(in crate::targets) fn as_shipped(bench: &Bench) -> Result<Figure, Error> {
    let Sample { total, capture, .. } = Sample::measure(bench, Program::Profiled, PATHS, false)?;
    if bench.peer().is_some() {
        return Ok(Figure::of(total <= 3000.0, format!("{total:.0}")));
    }
    let frames = frames(bench, Program::Profiled)?;
    let figures = format!(
        "{total:.0}, of them {capture:.0} in the capture; {PATHS} paths, {frames} frames are the program's"
    );
    Ok(Figure::of(total <= 3000.0, figures))
}

/// K11.
pub(super) fn but_the_capture(bench: &Bench) -> Result<Figure, Error> {
    let [off, on] = [false, true].map(|live| Sample::measure(bench, Program::Profiled, PATHS, live));
    let (off, on) = (off?, on?);
    let freed = on.freed;
    let (off, on) = (off.but_the_capture(), on.but_the_capture());
    let figures = format!("{off:.0} live off, {on:.0} live on, {freed:.0} when the object is freed");
    Ok(Figure::of(off <= 600.0 && on <= 1000.0, figures))
}

/// How many frames a stack has in the profile, in which what starts the program is left out.
fn frames(bench: &Bench, program: Program) -> Result<f64, Error> {
    bench.say(program, "deep", 1, &["interval=1", "deepest=true"])?.number("deepest")
}
