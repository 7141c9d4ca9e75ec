//! Whether use of memory has come to the next step below its limit.

use allometer_core::MemoryUse;

/// Steps are this far from each other, as a fraction of the limit.
const STEP: f64 = 0.05;

/// Steps from a fraction of a limit upwards, and the one that was reported last.
///
/// Each step counts once as long as use stays around it: it has to fall below it by a whole step before it counts
/// again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The first step, as a fraction of the limit.
    first: f64,
    /// How many steps, from the first one on, were reported.
    reported: u32,
}

impl Crossing {
    pub(crate) fn new(first: f64) -> Self {
        Self { first, reported: 0 }
    }

    /// Whether there is a step to report.
    pub(crate) fn is_due(&mut self, memory: MemoryUse) -> bool {
        let fraction = memory.fraction();
        self.reported = self.reported.min(self.steps(fraction + STEP));
        self.steps(fraction) > self.reported
    }

    /// A report was written.
    pub(crate) fn reported(&mut self, memory: MemoryUse) {
        self.reported = self.reported.max(self.steps(memory.fraction()));
    }

    /// How many steps are at or below a fraction.
    fn steps(&self, fraction: f64) -> u32 {
        // A step that is met exactly is met, whatever was lost by dividing.
        let beyond = (fraction - self.first) / STEP + 1e-9;
        if beyond < 0.0 { 0 } else { (beyond as u32).saturating_add(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(used: u64) -> MemoryUse {
        MemoryUse { used, limit: 100 }
    }

    /// The steps of use at which a report is due, where each is written.
    fn due(uses: &[u64]) -> Vec<u64> {
        let mut crossing = Crossing::new(0.8);
        let mut is_due = |used: &u64| {
            let is_due = crossing.is_due(percent(*used));
            if is_due {
                crossing.reported(percent(*used));
            }
            is_due
        };
        uses.iter().copied().filter(|used| is_due(used)).collect()
    }

    #[test]
    fn each_step_is_due_once() {
        assert_eq!(
            due(&[10, 79, 80, 81, 84, 83, 80, 85, 89, 90, 99, 100, 104, 120]),
            [80, 85, 90, 99, 100, 120]
        );
        assert_eq!(due(&[97, 80, 97]), [97, 97], "it had fallen by three steps");
    }

    #[test]
    fn to_and_fro_around_a_step_is_not_due_again() {
        assert_eq!(due(&[80, 79, 80, 76, 81, 76, 80]), [80]);
        assert_eq!(due(&[80, 74, 80]), [80, 80], "a step below");
    }

    #[test]
    fn it_stays_due_until_it_is_reported() {
        let mut crossing = Crossing::new(0.8);
        assert!(crossing.is_due(percent(80)) && crossing.is_due(percent(80)));
        // A report for another reason shows it as well.
        crossing.reported(percent(86));
        assert!(!crossing.is_due(percent(86)) && crossing.is_due(percent(90)));
    }

    #[test]
    fn large_figures_do_no_harm() {
        let mut crossing = Crossing::new(0.05);
        assert!(crossing.is_due(MemoryUse { used: u64::MAX, limit: 1 }));
        crossing.reported(MemoryUse { used: u64::MAX, limit: 1 });
        assert!(!crossing.is_due(MemoryUse { used: u64::MAX, limit: 1 }));
    }
}
