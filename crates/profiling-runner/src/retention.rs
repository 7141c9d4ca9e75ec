//! Which reports stay.

use std::time::{Duration, SystemTime};

use allometer_views::ReportName;

use crate::settings::Settings;

/// A report that is in the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredReport {
    pub(crate) name: ReportName,
    /// The bytes of its files together.
    pub(crate) bytes: u64,
}

/// How many reports stay, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retention {
    max_reports: usize,
    max_age: Duration,
    max_bytes: u64,
}

impl Retention {
    pub(crate) fn of(settings: &Settings) -> Self {
        let Settings { max_reports, max_age, max_bytes, .. } = *settings;
        Self { max_reports, max_age, max_bytes }
    }

    /// Whether a report of this time would stay, as far as its age decides.
    pub(crate) fn is_young(&self, time: SystemTime, now: SystemTime) -> bool {
        now.duration_since(time).is_ok_and(|age| age <= self.max_age)
    }

    /// Those of `stored` that have to go at the time `now`, the oldest first, so that what stays is within all bounds.
    /// `last`, which was just written, stays in any case.
    ///
    /// One with a time that is still to come, since a clock was set back, is the youngest.
    pub(crate) fn expired(
        &self,
        mut stored: Vec<StoredReport>,
        last: &ReportName,
        now: SystemTime,
    ) -> Vec<ReportName> {
        stored.sort_by_cached_key(|report| (report.name.time, report.name.to_string()));
        let mut reports = stored.len();
        let mut bytes: u128 = stored.iter().map(|report| u128::from(report.bytes)).sum();
        let mut expired = Vec::new();
        for StoredReport { name, bytes: own } in stored {
            let age = now.duration_since(name.time).unwrap_or_default();
            let stays = reports <= self.max_reports && bytes <= self.max_bytes.into() && age <= self.max_age;
            if !stays && name != *last {
                reports -= 1;
                bytes -= u128::from(own);
                expired.push(name);
            }
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_views::{ProgramName, ReportReason};

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    /// The report of a second.
    fn name(second: u64) -> ReportName {
        ReportName {
            program: ProgramName::nearest("shop"),
            time: at(second),
            live_bytes: 0,
            reason: ReportReason::Grew,
            process: 1,
        }
    }

    /// The seconds of those that go, of reports with these seconds and bytes.
    fn expired(settings: Settings, stored: &[(u64, u64)], last: u64, now: u64) -> Vec<u64> {
        let report = |&(second, bytes): &(u64, u64)| StoredReport { name: name(second), bytes };
        let stored = stored.iter().map(report).collect();
        let expired = Retention::of(&settings).expired(stored, &name(last), at(now));
        let second = |name: ReportName| name.time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        expired.into_iter().map(second).collect()
    }

    #[test]
    fn the_oldest_go_first() {
        let stored = [(30, 10), (10, 10), (40, 10), (20, 10)];
        let s = Settings::default;
        assert_eq!(expired(s(), &stored, 40, 50), [0; 0]);
        assert_eq!(expired(s().max_reports(2), &stored, 40, 50), [10, 20]);
        assert_eq!(expired(s().max_bytes(39), &stored, 40, 50), [10]);
        assert_eq!(expired(s().max_bytes(10), &stored, 40, 50), [10, 20, 30]);
        assert_eq!(expired(s().max_age(Duration::from_secs(30)), &stored, 40, 51), [10, 20]);
        assert_eq!(expired(s().max_reports(3).max_bytes(25), &stored, 40, 50), [10, 20]);
    }

    #[test]
    fn the_last_one_stays() {
        let stored = [(10, 100), (20, 100), (30, 100)];
        let s = Settings::default;
        assert_eq!(expired(s().max_bytes(1), &stored, 30, 40), [10, 20]);
        assert_eq!(expired(s().max_reports(1), &stored, 10, 40), [20, 30], "others have later times");
        assert_eq!(expired(s().max_age(Duration::from_secs(1)), &stored, 10, 40), [20, 30]);
        assert_eq!(expired(s().max_age(Duration::from_secs(1)), &[(90, 1), (10, 1)], 10, 40), [0; 0]);
    }

    #[test]
    fn sums_do_not_wrap() {
        assert_eq!(expired(Settings::default(), &[(1, u64::MAX), (2, u64::MAX), (3, 1)], 3, 4), [1, 2]);
    }
}
