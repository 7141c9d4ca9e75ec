//! K8: CPU time.

use std::process::Command;

use crate::{
    error::Error,
    process,
    targets::{
        bench::{Bench, Program},
        line::Figure,
    },
};

/// Pairs of a run: a second or so.
const PAIRS: u64 = 150_000_000;
/// Runs of each program, in turn.
const ROUNDS: usize = 9;

/// The CPU time of pairs in a live session at the default interval, against the provider alone. It is shown and
/// never held against anything: times do not repeat.
pub(super) fn ratio(bench: &Bench) -> Result<Figure, Error> {
    let seconds = |program, words: &[&str]| {
        let mut command = Command::new(bench.path(program));
        command.arg("pairs").arg(PAIRS.to_string()).args(words);
        process::cpu_seconds(&mut command, Bench::RUN)
    };
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let bare = seconds(Program::Bare, &[])?;
        rounds.push((bare, seconds(Program::Profiled, &["interval=524288", "live=true"])?));
    }
    let median_of = |part: fn(&(f64, f64)) -> f64| median(rounds.iter().map(part).collect());
    let ratio = median_of(|round| round.1) / median_of(|round| round.0);
    let mut each: Vec<f64> = rounds.iter().map(|(bare, profiled)| profiled / bare).collect();
    each.sort_by(f64::total_cmp);
    let figures = format!(
        "{ratio:.2} ({:.2} to {:.2} in {ROUNDS} rounds; {:.2} s bare)",
        each[0],
        each[ROUNDS - 1],
        median_of(|round| round.0)
    );
    Ok(Figure::of(true, figures))
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(super::median(vec![3.0, 1.0, 100.0]), 3.0);
    }
}
