use std::collections::VecDeque;

use allometer_profile::Estimate;

use super::change::{Change, Elapsed, Rate};

/// Readings that are kept.
const MOST: usize = 512;

/// The live heap over time.
#[derive(Debug, Default)]
pub(crate) struct History {
    points: VecDeque<Point>,
    /// Whether the profiles say when they were made; if not, a reading is a step.
    pub(crate) has_times: bool,
    /// What was allocated between the readings, and in how many seconds, as far as rates are known.
    allocated: Estimate,
    seconds: f64,
}

/// The live heap at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Seconds since the first point, or its number.
    pub(crate) at: f64,
    pub(crate) bytes: Estimate,
}

impl History {
    /// Adds what was read; the same once more adds nothing.
    pub(super) fn add(&mut self, change: &Change, bytes: Estimate) {
        let time = change.time;
        let last = self.points.back().map_or(0.0, |point| point.at);
        let at = match time {
            Elapsed::Same => return,
            Elapsed::Begin => {
                *self = Self { has_times: true, ..Self::default() };
                0.0
            }
            Elapsed::After(time) => {
                self.add_rate(change.rate, time.as_secs_f64());
                last + time.as_secs_f64()
            }
            Elapsed::Unknown => {
                self.has_times = false;
                last + 1.0
            }
        };
        if self.points.len() == MOST {
            self.points.pop_front();
        }
        self.points.push_back(Point { at, bytes });
    }

    fn add_rate(&mut self, rate: Rate, seconds: f64) {
        if let Rate::Known(rate) = rate {
            let variance = rate.variance * seconds * seconds;
            self.allocated = self.allocated + Estimate { value: rate.value * seconds, variance };
            self.seconds += seconds;
        }
    }

    /// Bytes allocated in a second over all readings since the session began or the screen did, and in how many seconds.
    pub(super) fn rate(&self) -> Option<(Estimate, f64)> {
        let Self { allocated, seconds, .. } = *self;
        let rate =
            Estimate { value: allocated.value / seconds, variance: allocated.variance / (seconds * seconds) };
        (seconds > 0.0).then_some((rate, seconds))
    }

    /// From the oldest to the newest.
    pub(super) fn points(&self) -> impl DoubleEndedIterator<Item = Point> + Clone {
        self.points.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::Amount;
    use std::time::Duration;

    fn change(time: Elapsed, rate: Rate) -> Change {
        Change { time, rate, growth: Amount::default() }
    }

    fn moments(history: &History) -> Vec<f64> {
        history.points().map(|point| point.at).collect()
    }

    #[test]
    fn points_are_where_their_profiles_say() {
        let mut history = History::default();
        let seconds = |seconds| Elapsed::After(Duration::from_secs(seconds));
        for time in [Elapsed::Begin, seconds(2), Elapsed::Same, seconds(3)] {
            history.add(&change(time, Rate::Unknown), Estimate::exact(1.0));
        }
        assert_eq!((moments(&history), history.has_times), (vec![0.0, 2.0, 5.0], true));
        history.add(&change(Elapsed::Unknown, Rate::Unknown), Estimate::exact(1.0));
        assert_eq!((moments(&history), history.has_times), (vec![0.0, 2.0, 5.0, 6.0], false));
        history.add(&change(Elapsed::Begin, Rate::NotYet), Estimate::exact(1.0));
        assert_eq!(moments(&history), [0.0]);
    }

    #[test]
    fn the_rate_of_all_readings_is_what_was_allocated_by_their_time() {
        let mut history = History::default();
        let known = |value, error: f64| Rate::Known(Estimate { value, variance: error * error });
        let after = |seconds| Elapsed::After(Duration::from_secs(seconds));
        history.add(&change(Elapsed::Begin, Rate::NotYet), Estimate::default());
        assert_eq!(history.rate(), None);
        history.add(&change(after(1), known(90.0, 30.0)), Estimate::default());
        history.add(&change(after(5), Rate::Unknown), Estimate::default());
        history.add(&change(after(4), known(10.0, 10.0)), Estimate::default());
        // 130 bytes ± 50 in 5 seconds.
        assert_eq!(history.rate(), Some((Estimate { value: 26.0, variance: 100.0 }, 5.0)));
        history.add(&change(Elapsed::Begin, Rate::NotYet), Estimate::default());
        assert_eq!(history.rate(), None);
    }

    #[test]
    fn it_is_bounded() {
        let mut history = History::default();
        for at in 0..3 * MOST {
            history.add(&change(Elapsed::Unknown, Rate::Unknown), Estimate::exact(at as f64));
        }
        assert_eq!(history.points().count(), MOST);
        assert_eq!(history.points().last().unwrap().bytes.value, 3.0 * MOST as f64 - 1.0);
    }
}
