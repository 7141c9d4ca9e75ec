//! Whether there is something to report.

use std::time::Duration;

use allometer_views::ReportReason;

use crate::{crossing::Crossing, measurements::Measurements, memory_use::MemoryUse, settings::Settings};

/// What was reported last, and how far memory may move from there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Watch {
    moved: Option<f64>,
    moved_floor: u64,
    period: Option<Duration>,
    resident: Option<Crossing>,
    cgroup: Option<Crossing>,
    /// Live bytes then.
    live: u64,
    /// Time from the runner's start until then.
    at: Duration,
}

impl Watch {
    /// Nothing was reported yet: memory moves from `live` bytes.
    pub(crate) fn new(settings: &Settings, live: u64) -> Self {
        Self {
            moved: settings.moved,
            moved_floor: settings.moved_floor,
            period: settings.period,
            resident: settings.resident.map(Crossing::new),
            cgroup: settings.cgroup.map(Crossing::new),
            live,
            at: Duration::ZERO,
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
        } else if self.has_moved(now.live) {
            Some(if now.live > self.live { ReportReason::Grew } else { ReportReason::Shrank })
        } else {
            let since = now.elapsed.saturating_sub(self.at);
            self.period.is_some_and(|period| since >= period).then_some(ReportReason::Period)
        }
    }

    fn has_moved(&self, live: u64) -> bool {
        let change = live.abs_diff(self.live);
        let enough = |fraction| change as f64 >= fraction * self.live as f64 && change >= self.moved_floor;
        change != 0 && self.moved.is_some_and(enough)
    }

    /// A report of these was written, for whatever reason.
    pub(crate) fn reported(&mut self, now: &Measurements) {
        self.live = now.live;
        self.at = now.elapsed;
        for (crossing, memory) in [(&mut self.resident, now.resident), (&mut self.cgroup, now.cgroup)] {
            if let Some((crossing, memory)) = crossing.as_mut().zip(memory) {
                crossing.reported(memory);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReportReason::{Cgroup, Grew, Period, Resident, Shrank};

    const MIB: u64 = 1 << 20;

    fn live(live: u64) -> Measurements {
        Measurements { elapsed: Duration::ZERO, live, resident: None, cgroup: None }
    }

    fn at(seconds: u64) -> Measurements {
        Measurements { elapsed: Duration::from_secs(seconds), ..live(0) }
    }

    fn percent(used: u64) -> Option<MemoryUse> {
        Some(MemoryUse { used, limit: 100 })
    }

    #[test]
    fn live_memory_has_to_move_by_the_fraction_and_the_floor() {
        let mut watch = Watch::new(&Settings::default(), 0);
        assert_eq!(watch.check(&live(16 * MIB - 1)), None, "below the floor");
        assert_eq!(watch.check(&live(16 * MIB)), Some(Grew));
        assert_eq!(watch.check(&live(16 * MIB)), Some(Grew), "until it is written");
        watch.reported(&live(100 * MIB));
        assert_eq!(watch.check(&live(100 * MIB)), None);
        assert_eq!(watch.check(&live(120 * MIB - 1)), None);
        assert_eq!(watch.check(&live(120 * MIB)), Some(Grew));
        assert_eq!(watch.check(&live(80 * MIB + 1)), None);
        assert_eq!(watch.check(&live(80 * MIB)), Some(Shrank));
        watch.reported(&live(20 * MIB));
        assert_eq!(watch.check(&live(35 * MIB)), None, "75 %, and below the floor");
        let mut still = Watch::new(&Settings::default().moved(None), 0);
        assert_eq!(still.check(&live(u64::MAX)), None);
        let mut zero = Watch::new(&Settings::default().moved_floor(0), 0);
        assert_eq!((zero.check(&live(0)), zero.check(&live(1))), (None, Some(Grew)));
    }

    #[test]
    fn limits_come_before_what_moved_and_the_control_group_first() {
        let mut watch = Watch::new(&Settings::default(), 0);
        let all = Measurements { resident: percent(90), cgroup: percent(90), ..live(100 * MIB) };
        assert_eq!(watch.check(&all), Some(Cgroup));
        let one = Measurements { cgroup: percent(70), ..all };
        assert_eq!(watch.check(&one), Some(Resident));
        watch.reported(&all);
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
        watch.reported(&at(61));
        assert_eq!((watch.check(&at(120)), watch.check(&at(121))), (None, Some(Period)));
        assert_eq!(Watch::new(&settings.period(None), 0).check(&at(u64::from(u32::MAX))), None);
    }
}
