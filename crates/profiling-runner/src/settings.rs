//! When reports are written, which ones, and how long they stay.

use std::{collections::BTreeSet, env, time::Duration};

use allometer_views::{ProgramName, ReportFormat};
use signal_hook::consts::{FORBIDDEN, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::Error;

/// When a [`Runner`](crate::Runner) writes reports, which ones, and how long they stay.
///
/// ```
/// use std::time::Duration;
///
/// use allometer_runner::Settings;
///
/// let settings = Settings::default().moved(Some(0.5)).period(Some(Duration::from_secs(600))).max_reports(500);
/// assert!(settings.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub(crate) program: Option<String>,
    pub(crate) check_interval: Duration,
    pub(crate) moved: Option<f64>,
    pub(crate) moved_floor: u64,
    pub(crate) min_gap: Duration,
    pub(crate) resident: Option<f64>,
    pub(crate) resident_limit: Option<u64>,
    pub(crate) cgroup: Option<f64>,
    pub(crate) period: Option<Duration>,
    pub(crate) exit_report: bool,
    pub(crate) at_exit: bool,
    pub(crate) request_signal: Option<i32>,
    pub(crate) exit_signal: Option<i32>,
    pub(crate) formats: BTreeSet<ReportFormat>,
    pub(crate) max_reports: usize,
    pub(crate) max_age: Duration,
    pub(crate) max_bytes: u64,
    pub(crate) patience: Duration,
}

impl Default for Settings {
    /// A look every 10 seconds; a report when the live heap moved by 20 % and at least 16 MiB, though to and fro no more than once
    /// a minute, when resident memory or the control group's comes to 80 % of its limit, every hour in which there was none, and
    /// at the stop; profile, picture and text; 100 reports, 7 days, 1 GiB; 10 seconds of patience. No signals, and nothing at the program's exit.
    fn default() -> Self {
        Self {
            program: None,
            check_interval: Duration::from_secs(10),
            moved: Some(0.2),
            moved_floor: 16 << 20,
            min_gap: Duration::from_secs(60),
            resident: Some(0.8),
            resident_limit: None,
            cgroup: Some(0.8),
            period: Some(HOUR),
            exit_report: true,
            at_exit: false,
            request_signal: None,
            exit_signal: None,
            formats: [ReportFormat::Pprof, ReportFormat::Flamegraph, ReportFormat::Text].into(),
            max_reports: 100,
            max_age: 7 * DAY,
            max_bytes: 1 << 30,
            patience: Duration::from_secs(10),
        }
    }
}

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const YEAR: Duration = Duration::from_secs(366 * 24 * 3600);

impl Settings {
    /// The program's name in the names of reports: see [`ProgramName`](allometer_views::ProgramName) for what becomes of
    /// letters that it cannot have. The default is the name of the program's file.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>) -> Self {
        self.program = Some(name.into());
        self
    }

    /// How often the runner looks whether there is something to report, and tries again what had failed: 100 ms to a
    /// day. A look reads the session's counters and a few small files of `/proc` and `/sys`.
    #[must_use]
    pub fn check_interval(mut self, interval: Duration) -> Self {
        self.check_interval = interval;
        self
    }

    /// A report when the live heap has grown or shrunk by this fraction since the last one: 0.01 to 100. `None`: not for
    /// that. Without live objects ([`Config::live_heap`](allometer_core::Config::live_heap)) there is nothing that moves.
    #[must_use]
    pub fn moved(mut self, fraction: Option<f64>) -> Self {
        self.moved = fraction;
        self
    }

    /// And by at least so many bytes, so that a small heap is not written at every change.
    #[must_use]
    pub fn moved_floor(mut self, bytes: u64) -> Self {
        self.moved_floor = bytes;
        self
    }

    /// The least time between two reports for the reason that the live heap moved, so that one which swings does not push all
    /// others out: up to a day. Growth beyond all that was reported before does not wait for it.
    #[must_use]
    pub fn min_gap(mut self, gap: Duration) -> Self {
        self.min_gap = gap;
        self
    }

    /// A report when the process's resident memory (`VmRSS`) comes to this fraction of its limit, and again each
    /// twentieth above: 0.05 to 1. `None`: not for that.
    #[must_use]
    pub fn resident(mut self, fraction: Option<f64>) -> Self {
        self.resident = fraction;
        self
    }

    /// The limit of resident memory, in bytes. `None`: the machine's memory.
    #[must_use]
    pub fn resident_limit(mut self, bytes: Option<u64>) -> Self {
        self.resident_limit = bytes;
        self
    }

    /// The same as [`Settings::resident`] for the memory of the process's control group, or of one around it, if there is
    /// one with a limit. What the kernel can take back at once, files' pages that nobody used lately, does not count.
    #[must_use]
    pub fn cgroup(mut self, fraction: Option<f64>) -> Self {
        self.cgroup = fraction;
        self
    }

    /// A report when none has been written for so long: a second to a year. `None`: not for that.
    #[must_use]
    pub fn period(mut self, period: Option<Duration>) -> Self {
        self.period = period;
        self
    }

    /// Whether [`Runner::stop`](crate::Runner::stop), and so its drop, writes a last report.
    #[must_use]
    pub fn exit_report(mut self, on: bool) -> Self {
        self.exit_report = on;
        self
    }

    /// Whether the runner is stopped when the program ends by `exit`, as `std::process::exit` does and the return of
    /// `main`, and nobody has stopped it before: off by default.
    ///
    /// The session has to run then: let its `Profiler` live as long as the program.
    #[must_use]
    pub fn at_exit(mut self, on: bool) -> Self {
        self.at_exit = on;
        self
    }

    /// A signal that asks for a report, such as `SIGUSR1`. Its handler does nothing but wake the runner's thread. After
    /// the stop the signal does nothing.
    #[must_use]
    pub fn on_signal(mut self, signal: i32) -> Self {
        self.request_signal = Some(signal);
        self
    }

    /// A signal at which the runner is stopped and then the program ends, as it does by default: `SIGTERM`, `SIGINT`,
    /// `SIGHUP` or `SIGQUIT`.
    ///
    /// A second one ends the program at once, and so does any after the stop of this runner. It is for programs that do
    /// not handle the signal themselves; one that does ends in its own way, and drops its runner there.
    #[must_use]
    pub fn on_exit_signal(mut self, signal: i32) -> Self {
        self.exit_signal = Some(signal);
        self
    }

    /// The formats of a report: at least one. [`ReportFormat::Html`] is not among the default ones.
    #[must_use]
    pub fn formats(mut self, formats: impl IntoIterator<Item = ReportFormat>) -> Self {
        self.formats = formats.into_iter().collect();
        self
    }

    /// Most reports of this program that stay in the directory: at least 1.
    #[must_use]
    pub fn max_reports(mut self, reports: usize) -> Self {
        self.max_reports = reports;
        self
    }

    /// How old they may become: a second to a year.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// Most bytes that they may have together: at least 1. The last report stays, however large.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// How long a stop, or the program's exit, waits for the last report: 1 ms to an hour. Then it goes on without it.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The program's name: the one that was set, or that of its file.
    pub(crate) fn program_name(&self) -> ProgramName {
        let of_file = || {
            let path = env::current_exe().ok()?;
            let name = path.file_name()?.to_string_lossy().into_owned();
            // What the system adds when the file was removed, or replaced by a newer one.
            Some(name.strip_suffix(" (deleted)").map(str::to_owned).unwrap_or(name))
        };
        ProgramName::nearest(&self.program.clone().or_else(of_file).unwrap_or_default())
    }

    /// Checks each setting against its bounds.
    ///
    /// # Errors
    ///
    /// The first setting that is out of its bounds, with them.
    pub fn validate(&self) -> Result<(), Error> {
        let millis = Duration::from_millis;
        within("check_interval", Some(self.check_interval), millis(100), DAY)?;
        within("min_gap", Some(self.min_gap), Duration::ZERO, DAY)?;
        within("period", self.period, millis(1000), YEAR)?;
        within("max_age", Some(self.max_age), millis(1000), YEAR)?;
        within("patience", Some(self.patience), millis(1), HOUR)?;
        fraction("moved", self.moved, 0.01, 100.0)?;
        fraction("resident", self.resident, 0.05, 1.0)?;
        fraction("cgroup", self.cgroup, 0.05, 1.0)?;
        if self.formats.is_empty() {
            return Err(Error::NoFormat);
        }
        for (setting, is_zero) in [
            ("max_reports", self.max_reports == 0),
            ("max_bytes", self.max_bytes == 0),
            ("resident_limit", self.resident_limit == Some(0)),
        ] {
            if is_zero {
                return Err(Error::Zero { setting });
            }
        }
        self.validate_signals()
    }

    fn validate_signals(&self) -> Result<(), Error> {
        let Self { request_signal: request, exit_signal: exit, .. } = *self;
        let refuse = |setting, signal, expected| Err(Error::Signal { setting, signal, expected });
        match request {
            Some(signal) if !(1..=64).contains(&signal) || FORBIDDEN.contains(&signal) => {
                refuse("on_signal", signal, "a signal that a program can handle and go on")
            }
            Some(signal) if exit == request => {
                refuse("on_signal", signal, "another signal than on_exit_signal")
            }
            _ => match exit {
                Some(signal) if ![SIGTERM, SIGINT, SIGHUP, SIGQUIT].contains(&signal) => {
                    refuse("on_exit_signal", signal, "SIGTERM, SIGINT, SIGHUP or SIGQUIT")
                }
                _ => Ok(()),
            },
        }
    }
}

fn within(setting: &'static str, value: Option<Duration>, min: Duration, max: Duration) -> Result<(), Error> {
    match value {
        Some(value) if !(min..=max).contains(&value) => {
            Err(Error::DurationOutOfRange { setting, value, min, max })
        }
        _ => Ok(()),
    }
}

fn fraction(setting: &'static str, value: Option<f64>, min: f64, max: f64) -> Result<(), Error> {
    match value {
        Some(value) if !(min..=max).contains(&value) => {
            Err(Error::FractionOutOfRange { setting, value, min, max })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_names_its_bounds() {
        let of = |settings: Settings| settings.validate().unwrap_err().to_string();
        let s = Settings::default;
        assert!(s().validate().is_ok());
        assert!(s().moved(None).resident(None).cgroup(None).period(None).validate().is_ok());
        assert_eq!(of(s().check_interval(Duration::ZERO)), "check_interval is 0ns: expected 100ms to 86400s");
        assert_eq!(of(s().min_gap(2 * DAY)), "min_gap is 172800s: expected 0ns to 86400s");
        assert_eq!(of(s().period(Some(2 * YEAR))), "period is 63244800s: expected 1s to 31622400s");
        assert_eq!(of(s().max_age(Duration::ZERO)), "max_age is 0ns: expected 1s to 31622400s");
        assert_eq!(of(s().patience(DAY)), "patience is 86400s: expected 1ms to 3600s");
        assert_eq!(of(s().moved(Some(0.0))), "moved is 0: expected 0.01 to 100");
        assert_eq!(of(s().resident(Some(f64::NAN))), "resident is NaN: expected 0.05 to 1");
        assert_eq!(of(s().cgroup(Some(1.5))), "cgroup is 1.5: expected 0.05 to 1");
        assert_eq!(of(s().formats([])), "formats are none: expected at least one");
        assert_eq!(of(s().max_reports(0)), "max_reports is 0: expected at least 1");
        assert_eq!(of(s().max_bytes(0)), "max_bytes is 0: expected at least 1");
        assert_eq!(of(s().resident_limit(Some(0))), "resident_limit is 0: expected at least 1");
    }

    #[test]
    fn signals_are_those_that_can_be_used_so() {
        let of = |settings: Settings| settings.validate().map_err(|error| error.to_string());
        let s = Settings::default;
        assert!(of(s().on_signal(10).on_exit_signal(SIGTERM)).is_ok());
        for signal in [0, -1, 65, 9, 11, 19] {
            let expected = "a signal that a program can handle and go on";
            assert_eq!(of(s().on_signal(signal)), Err(format!("on_signal is {signal}: expected {expected}")));
        }
        let expected = "on_exit_signal is 10: expected SIGTERM, SIGINT, SIGHUP or SIGQUIT";
        assert_eq!(of(s().on_exit_signal(10)), Err(expected.to_owned()));
        assert!(of(s().on_signal(SIGINT).on_exit_signal(SIGINT)).is_err());
    }
}
