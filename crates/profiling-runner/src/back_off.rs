//! When something that failed is tried again.

use std::time::Duration;

/// The longest wait, unless looks are rarer.
const LONGEST: Duration = Duration::from_secs(600);

/// How long what failed waits: twice as long after each failure, so that a disk that stays full is not written to at
/// each look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackOff {
    shortest: Duration,
    /// The last wait, and when it ends, as time since the runner's start; `None` after a success.
    wait: Option<(Duration, Duration)>,
}

impl BackOff {
    /// The first wait is `shortest`.
    pub(crate) fn new(shortest: Duration) -> Self {
        Self { shortest, wait: None }
    }

    /// Whether it can be tried at this time.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        self.wait.is_none_or(|(_, until)| now >= until)
    }

    pub(crate) fn failed(&mut self, now: Duration) {
        let longest = LONGEST.max(self.shortest);
        let wait = self.wait.map_or(self.shortest, |(wait, _)| wait.saturating_mul(2).min(longest));
        self.wait = Some((wait, now.saturating_add(wait)));
    }

    pub(crate) fn succeeded(&mut self) {
        self.wait = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When it is tried, in seconds, where everything fails for so long and each look is `every` seconds after the last one.
    fn tries(every: u64, until: u64) -> Vec<u64> {
        let mut back_off = BackOff::new(Duration::from_secs(every));
        let mut tries = Vec::new();
        for second in (0..until).step_by(every as usize) {
            if back_off.is_over(Duration::from_secs(second)) {
                tries.push(second);
                back_off.failed(Duration::from_secs(second));
            }
        }
        tries
    }

    #[test]
    fn waits_double_up_to_ten_minutes() {
        let expected = [0, 10, 30, 70, 150, 310, 630, 1230, 1830, 2430];
        assert_eq!(tries(10, 3000), expected);
        assert_eq!(tries(3600, 4 * 3600), [0, 3600, 7200, 10_800], "or at each look, where these are rarer");
    }

    #[test]
    fn a_success_ends_them() {
        let seconds = Duration::from_secs;
        let mut back_off = BackOff::new(seconds(10));
        (0..5).for_each(|_| back_off.failed(seconds(0)));
        assert!(!back_off.is_over(seconds(159)) && back_off.is_over(seconds(160)));
        back_off.succeeded();
        assert!(back_off.is_over(Duration::ZERO));
        back_off.failed(seconds(1));
        assert!(back_off.is_over(seconds(11)), "from the beginning");
        (0..200).for_each(|_| back_off.failed(Duration::MAX));
    }
}
