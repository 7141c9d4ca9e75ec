//! Four runs in a row: old, new, new, old. A machine that becomes slower or faster meanwhile does so for both.

use std::fmt;

use super::run::Run;

/// Most that two runs of one program may differ, relative to the faster one.
const DRIFT: f64 = 0.05;
/// Largest share of records that may be lost.
const LOST: f64 = 0.01;

/// The runs of a block, in their order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block(pub(super) [Run; 4]);

/// Why a block is not used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rejected {
    /// Two runs of one program differ by this share.
    Drift { program: &'static str, share: f64 },
    /// One run lost this share of its records.
    Lost { run: usize, share: f64 },
}

impl Block {
    /// The time of the new program relative to the old one's, if the block can be used.
    pub(super) fn ratio(&self) -> Result<f64, Rejected> {
        let [old, new, new_again, old_again] = self.0;
        for (run, share) in (1..).zip(self.0.map(Run::lost_share)) {
            if share > LOST {
                return Err(Rejected::Lost { run, share });
            }
        }
        for (program, one, other) in [("old", old, old_again), ("new", new, new_again)] {
            let share = (one.seconds - other.seconds).abs() / one.seconds.min(other.seconds);
            // Written so that no number at all, as of runs without a time, is rejected too.
            if !matches!(
                share.partial_cmp(&DRIFT),
                Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
            ) {
                return Err(Rejected::Drift { program, share });
            }
        }
        Ok((new.seconds + new_again.seconds) / (old.seconds + old_again.seconds))
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drift { program, share } => {
                write!(f, "the two runs of the {program} program differ by {:.1} %", share * 100.0)
            }
            Self::Lost { run, share } => write!(f, "run {run} lost {:.1} % of its records", share * 100.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of runs as a machine printed them; only the losses of `lossy.txt` were put in by hand.
    fn recorded(block: [&str; 4]) -> Result<f64, Rejected> {
        Block(block.map(|run| Run::read(run, "a recorded run").unwrap())).ratio()
    }

    #[test]
    fn a_quiet_block_gives_its_ratio() {
        let ratio = recorded([
            include_str!("recorded/quiet-1.txt"),
            include_str!("recorded/quiet-2.txt"),
            include_str!("recorded/quiet-3.txt"),
            include_str!("recorded/quiet-4.txt"),
        ]);
        assert!(ratio.is_ok_and(|ratio| (ratio - 1.0).abs() < 0.05), "{ratio:?}");
    }

    #[test]
    fn a_block_on_a_machine_that_was_disturbed_is_rejected() {
        let ratio = recorded([
            include_str!("recorded/quiet-1.txt"),
            include_str!("recorded/quiet-2.txt"),
            include_str!("recorded/quiet-3.txt"),
            include_str!("recorded/disturbed.txt"),
        ]);
        assert!(matches!(ratio, Err(Rejected::Drift { program: "old", .. })), "{ratio:?}");
    }

    #[test]
    fn a_block_that_lost_records_is_rejected() {
        let ratio = recorded([
            include_str!("recorded/quiet-1.txt"),
            include_str!("recorded/lossy.txt"),
            include_str!("recorded/quiet-3.txt"),
            include_str!("recorded/quiet-4.txt"),
        ]);
        assert!(matches!(ratio, Err(Rejected::Lost { run: 2, .. })), "{ratio:?}");
    }

    #[test]
    fn the_bounds_belong_to_what_is_used() {
        let run = |seconds, lost| Run { seconds, samples: 1000.0 - lost, lost };
        let ratio = |old_again| Block([run(1.0, 10.0), run(1.0, 0.0), run(1.0, 0.0), old_again]).ratio();
        assert!(ratio(run(1.049, 10.0)).is_ok());
        assert!(ratio(run(1.051, 10.0)).is_err());
        assert!(ratio(run(1.049, 11.0)).is_err());
        assert!(ratio(run(0.0, 0.0)).is_err(), "a run without a time");
    }

    #[test]
    fn what_a_run_does_not_print_is_named() {
        let error = Run::read("cpu_nanoseconds 5\nsamples x\nlost 0\n", "old.txt").unwrap_err();
        assert_eq!(error.to_string(), "`old.txt` does not tell samples");
    }
}
