//! K4, K5: pairs, while many live samples are held.

use crate::{
    error::Error,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Steps of a run.
const STEPS: u64 = 100_000;
/// What is held, in bytes.
const HOLD: &str = "hold=1073741824";

/// How often all is measured, each time with everything elsewhere in memory: how many addresses a filter takes for
/// others depends on where they lie.
const LAYOUTS: u64 = 3;

/// K4.
pub(super) fn at_512_kib(bench: &Bench) -> Result<Figure, Error> {
    let Added { in_all, on_the_way, held } = Added::measure(bench, 512 << 10)?;
    let figures = format!("{in_all:.2}, {on_the_way:.2} without the slow half; {held:.0} live samples");
    Ok(Figure::of(in_all <= 10.0, figures))
}

/// K5, and for its own sake the same at addresses that are hard to hash.
pub(super) fn at_64_kib(bench: &Bench) -> Result<Figure, Error> {
    let Added { in_all, on_the_way, held } = Added::measure(bench, 64 << 10)?;
    let [off, on] = session(64 << 10);
    let [off, on] = [off, on].map(|words| bench.count(Program::Profiled, "dense", STEPS, &words_of(&words)));
    let at_hard_addresses = on?.but_the_provider() - off?.but_the_provider();
    let figures = format!(
        "{in_all:.2}, {on_the_way:.2} without the slow half; {held:.0} live samples; pairs of pages among 64 KiB chunks: \
         {at_hard_addresses:.1}"
    );
    Ok(Figure::of(in_all <= 15.0, figures))
}

/// What turning the live heap on adds to a pair, in instructions.
struct Added {
    /// With the samples that are taken during the pairs.
    in_all: f64,
    /// Of these, what is inlined: without what is behind the first branch.
    on_the_way: f64,
    /// Live samples before the pairs.
    held: f64,
}

impl Added {
    fn measure(bench: &Bench, interval: u64) -> Result<Self, Error> {
        let mut added = Self { in_all: 0.0, on_the_way: 0.0, held: 0.0 };
        for shift in 0..LAYOUTS {
            let shift = format!("shift={shift}");
            let words = session(interval).map(|mut words| {
                words.push(shift.clone());
                words
            });
            let [off, on] =
                words.each_ref().map(|words| bench.count(Program::Profiled, "live", STEPS, &words_of(words)));
            let (off, on) = (off?, on?);
            added.in_all += (on.but_the_provider() - off.but_the_provider()) / LAYOUTS as f64;
            // The hook is inlined into these two.
            for function in ["::block::block", "::block::free"] {
                added.on_the_way += (on.own(function)? - off.own(function)?) / LAYOUTS as f64;
            }
            let words = [&words_of(&words[1])[..], &["totals=true"]].concat();
            added.held += bench.say(Program::Profiled, "live", 0, &words)?.number("held")? / LAYOUTS as f64;
        }
        Ok(added)
    }
}

/// The words of a session while much is held, live off and on.
fn session(interval: u64) -> [Vec<String>; 2] {
    ["live=false", "live=true"].map(|live| vec![HOLD.into(), format!("interval={interval}"), live.into()])
}

fn words_of(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}
