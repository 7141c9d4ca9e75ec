//! Whether there is something to report.

use std::time::Duration;

use allometer_views::ReportReason;

use crate::{crossing::Crossing, measurements::Measurements, settings::Settings};
use allometer_core::MemoryUse;

/// What was reported last, and how far memory may move from there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Watch {
    moved: Option<f64>,
    moved_floor: u64,
    min_gap: Duration,
    period: Option<Duration>,
    resident: Option<Crossing>,
    cgroup: Option<Crossing>,
    /// Live bytes then.
    live: u64,
    /// Time from the runner's start until then.
    at: Duration,
    /// The time of the last report because memory moved.
    moved_at: Option<Duration>,
    /// The most live bytes that were reported.
    highest: u64,
    /// Giant requests that were reported.
    giants: u64,
}

impl Watch {
    /// Nothing was reported yet: memory moves from `live` bytes.
    pub(crate) fn new(settings: &Settings, live: u64) -> Self {
        Self {
            moved: settings.moved,
            moved_floor: settings.moved_floor,
            min_gap: settings.min_gap,
            period: settings.period,
            resident: settings.resident.map(Crossing::new),
            cgroup: settings.cgroup.map(Crossing::new),
            live,
            at: Duration::ZERO,
            moved_at: None,
            highest: live,
            giants: 0,
        }
    }

    /// Why there should be a report now, if there should. Of several reasons it is the most urgent one. Until one is
    /// written the answer stays.
    pub(crate) fn check(&mut self, now: &Measurements) -> Option<ReportReason> {
        let is_due = |crossing: &mut Option<Crossing>, memory: Option<MemoryUse>| {
            crossing.as_mut().zip(memory).is_some_and(|(crossing, memory)| crossing.is_due(memory))
        };
        // Both, since each has to see that use has fallen.
        let (resident, cgroup) =
            (is_due(&mut self.resident, now.resident), is_due(&mut self.cgroup, now.cgroup));
        if cgroup {
            Some(ReportReason::Cgroup)
        } else if resident {
            Some(ReportReason::Resident)
        } else if self.is_due_for_moving(now) {
            Some(if now.live > self.live { ReportReason::Grew } else { ReportReason::Shrank })
        } else {
            let since = now.elapsed.saturating_sub(self.at);
            self.period.is_some_and(|period| since >= period).then_some(ReportReason::Period)
        }
    }

    /// Whether there are giant requests to report. Until that is done the answer stays.
    pub(crate) fn has_giants(&self, now: &Measurements) -> bool {
        now.giants > self.giants
    }

    fn is_due_for_moving(&self, now: &Measurements) -> bool {
        let is_held_back = self.moved_at.is_some_and(|at| now.elapsed.saturating_sub(at) < self.min_gap);
        // A heap that swings comes back to what it was. One that has never been so large may be about to end the program, and
        // cannot come to a new height often: each is larger than the last one by the fraction.
        let is_new = now.live > self.highest && self.has_moved(self.highest, now.live);
        self.has_moved(self.live, now.live) && (is_new || !is_held_back)
    }

    fn has_moved(&self, from: u64, to: u64) -> bool {
        let change = to.abs_diff(from);
        let enough = |fraction| change as f64 >= fraction * from as f64 && change >= self.moved_floor;
        change != 0 && self.moved.is_some_and(enough)
    }

    /// A report of these was written.
    pub(crate) fn reported(&mut self, now: &Measurements, reason: ReportReason) {
        self.live = now.live;
        self.highest = self.highest.max(now.live);
        self.at = now.elapsed;
        if matches!(reason, ReportReason::Grew | ReportReason::Shrank) {
            self.moved_at = Some(now.elapsed);
        }
        for (crossing, memory) in [(&mut self.resident, now.resident), (&mut self.cgroup, now.cgroup)] {
            if let Some((crossing, memory)) = crossing.as_mut().zip(memory) {
                crossing.reported(memory);
            }
        }
    }

    /// A report of the giant requests was written, which says nothing of the heap.
    pub(crate) fn reported_giants(&mut self, now: &Measurements) {
        self.giants = self.giants.max(now.giants);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReportReason::{Cgroup, Grew, Period, Resident, Shrank};

    const MIB: u64 = 1 << 20;

    fn live(live: u64) -> Measurements {
        Measurements { elapsed: Duration::ZERO, live, giants: 0, resident: None, cgroup: None }
    }

    fn at(seconds: u64) -> Measurements {
        Measurements { elapsed: Duration::from_secs(seconds), ..live(0) }
    }

    fn percent(used: u64) -> Option<MemoryUse> {
        Some(MemoryUse { used, limit: 100 })
    }

    #[test]
    fn live_memory_has_to_move_by_the_fraction_and_the_floor() {
        let mut watch = Watch::new(&Settings::default().min_gap(Duration::ZERO), 0);
        assert_eq!(watch.check(&live(16 * MIB - 1)), None, "below the floor");
        assert_eq!(watch.check(&live(16 * MIB)), Some(Grew));
        assert_eq!(watch.check(&live(16 * MIB)), Some(Grew), "until it is written");
        watch.reported(&live(100 * MIB), Grew);
        assert_eq!(watch.check(&live(100 * MIB)), None);
        assert_eq!(watch.check(&live(120 * MIB - 1)), None);
        assert_eq!(watch.check(&live(120 * MIB)), Some(Grew));
        assert_eq!(watch.check(&live(80 * MIB + 1)), None);
        assert_eq!(watch.check(&live(80 * MIB)), Some(Shrank));
        watch.reported(&live(20 * MIB), Shrank);
        assert_eq!(watch.check(&live(35 * MIB)), None, "75 %, and below the floor");
        let mut still = Watch::new(&Settings::default().moved(None), 0);
        assert_eq!(still.check(&live(u64::MAX)), None);
        let mut zero = Watch::new(&Settings::default().moved_floor(0), 0);
        assert_eq!((zero.check(&live(0)), zero.check(&live(1))), (None, Some(Grew)));
    }

    /// The seconds at which a report is written of a heap that is so large, in MiB, at each second.
    fn written(settings: &Settings, lives: impl IntoIterator<Item = u64>) -> Vec<(u64, ReportReason)> {
        let mut watch = Watch::new(settings, 0);
        let mut written = Vec::new();
        for (second, mib) in (0..).zip(lives) {
            let now = Measurements { live: mib * MIB, ..at(second) };
            if let Some(reason) = watch.check(&now) {
                watch.reported(&now, reason);
                written.push((second, reason));
            }
        }
        written
    }

    #[test]
    fn a_heap_that_swings_is_written_once_a_gap() {
        let settings = Settings::default().period(None);
        let swings = (0..300).map(|second| if second % 2 == 0 { 100 } else { 200 });
        let expected = [(0, Grew), (1, Grew), (62, Shrank), (123, Grew), (184, Shrank), (245, Grew)];
        assert_eq!(written(&settings, swings.clone()), expected);
        assert_eq!(written(&settings.clone().min_gap(Duration::ZERO), swings.clone()).len(), 300);
        // What is not held back comes in between.
        let period = settings.clone().period(Some(Duration::from_secs(20)));
        let reasons = written(&period, swings);
        assert_eq!(reasons[1..5], [(1, Grew), (21, Period), (41, Period), (61, Period)]);
        let mut watch = Watch::new(&settings, 200 * MIB);
        watch.reported(&at(0), Shrank);
        let near = Measurements { cgroup: percent(90), ..at(1) };
        assert_eq!(watch.check(&near), Some(Cgroup));
    }

    #[test]
    fn growth_beyond_all_that_was_reported_is_not_held_back() {
        let settings = Settings::default().period(None);
        // By a tenth a second: each second one is 20 % more than was ever reported.
        let grows = (0..20).map(|second| (1000.0 * 1.1f64.powi(second)) as u64);
        let seconds: Vec<u64> = written(&settings, grows).into_iter().map(|(second, _)| second).collect();
        assert_eq!(seconds, (0..20).step_by(2).collect::<Vec<_>>());
        let falls = [1000, 500, 900, 1100, 1200, 1300];
        assert_eq!(written(&settings, falls), [(0, Grew), (4, Grew)]);
    }

    #[test]
    fn giant_requests_are_due_until_they_are_reported() {
        let mut watch = Watch::new(&Settings::default(), 0);
        let asked = |giants| Measurements { giants, ..live(0) };
        assert!(!watch.has_giants(&asked(0)) && watch.has_giants(&asked(1)) && watch.has_giants(&asked(1)));
        watch.reported(&asked(1), Period);
        assert!(watch.has_giants(&asked(1)), "that was a report of the heap");
        watch.reported_giants(&asked(1));
        assert!(!watch.has_giants(&asked(1)) && watch.has_giants(&asked(2)));
    }

    #[test]
    fn limits_come_before_what_moved_and_the_control_group_first() {
        let mut watch = Watch::new(&Settings::default(), 0);
        let all = Measurements { resident: percent(90), cgroup: percent(90), ..live(100 * MIB) };
        assert_eq!(watch.check(&all), Some(Cgroup));
        let one = Measurements { cgroup: percent(70), ..all };
        assert_eq!(watch.check(&one), Some(Resident));
        watch.reported(&all, Resident);
        assert_eq!(watch.check(&all), None, "one report shows all of it");
        assert_eq!(watch.check(&Measurements { cgroup: percent(95), ..all }), Some(Cgroup));
        // It falls while nothing is reported, and comes back.
        assert_eq!(watch.check(&Measurements { resident: percent(10), ..all }), None);
        assert_eq!(watch.check(&all), Some(Resident));
        let mut off = Watch::new(&Settings::default().resident(None).cgroup(None), 100 * MIB);
        assert_eq!(off.check(&all), None);
    }

    #[test]
    fn a_period_runs_from_the_last_report() {
        let settings = Settings::default().period(Some(Duration::from_secs(60)));
        let mut watch = Watch::new(&settings, 0);
        assert_eq!((watch.check(&at(59)), watch.check(&at(60))), (None, Some(Period)));
        watch.reported(&at(61), Period);
        assert_eq!((watch.check(&at(120)), watch.check(&at(121))), (None, Some(Period)));
        assert_eq!(Watch::new(&settings.period(None), 0).check(&at(u64::from(u32::MAX))), None);
    }
}
