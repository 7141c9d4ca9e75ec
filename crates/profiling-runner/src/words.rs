//! Settings from the words of `ALLOMETER`.

use std::time::Duration;

use allometer_core::{Error, Word};
use allometer_views::ReportFormat;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use crate::Settings;

impl Settings {
    /// The words that [`Settings::set`] takes.
    pub const WORDS: &str = "program:NAME, check:TIME, moved:PERCENT%|off, moved_floor:SIZE, min_gap:TIME, resident:PERCENT%|off, resident_limit:SIZE, cgroup:PERCENT%|off, period:TIME|off, exit_report:true|false, at_exit:true|false, signal:NAME, exit_signal:NAME, formats:FORMAT+FORMAT, max_reports:N, max_age:TIME, max_bytes:SIZE, patience:TIME";

    /// Changes what a word of `ALLOMETER` is about. False: it is not one of [`Settings::WORDS`].
    ///
    /// Times are whole numbers with `ms`, `s`, `min`, `h` or `d`, shares have a `%`, and `off` stands for `None`. Signals are `USR1`,
    /// `USR2`, `HUP`, `INT`, `QUIT` or `TERM`, formats their extensions: `formats:pb.gz+svg+txt`.
    ///
    /// # Errors
    ///
    /// [`Error::Environment`] for a value that is not understood. Bounds are for [`Settings::validate`].
    pub fn set(&mut self, word: &Word) -> Result<bool, Error> {
        match word.key() {
            "program" => self.program = Some(word.read("NAME", |name| Some(name.to_owned()))?),
            "check" => self.check_interval = word.read(TIME, time)?,
            "moved" => self.moved = word.read(SHARE, |value| or_off(value, share))?,
            "moved_floor" => self.moved_floor = word.size()?,
            "min_gap" => self.min_gap = word.read(TIME, time)?,
            "resident" => self.resident = word.read(SHARE, |value| or_off(value, share))?,
            "resident_limit" => self.resident_limit = Some(word.size()?),
            "cgroup" => self.cgroup = word.read(SHARE, |value| or_off(value, share))?,
            "period" => self.period = word.read(TIME_OR_OFF, |value| or_off(value, time))?,
            "exit_report" => self.exit_report = word.flag()?,
            "at_exit" => self.at_exit = word.flag()?,
            "signal" => self.request_signal = Some(word.read(SIGNAL, signal)?),
            "exit_signal" => self.exit_signal = Some(word.read(SIGNAL, signal)?),
            "formats" => {
                self.formats = word.read(FORMATS, |value| value.split('+').map(format).collect())?;
            }
            "max_reports" => self.max_reports = word.read("N, a whole number", |value| value.parse().ok())?,
            "max_age" => self.max_age = word.read(TIME, time)?,
            "max_bytes" => self.max_bytes = word.size()?,
            "patience" => self.patience = word.read(TIME, time)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

const TIME: &str = "TIME, a whole number with ms, s, min, h or d";
const TIME_OR_OFF: &str = "TIME, a whole number with ms, s, min, h or d, or off";
const SHARE: &str = "PERCENT, such as 20%, or off";
const SIGNAL: &str = "USR1, USR2, HUP, INT, QUIT or TERM";
const FORMATS: &str = "pb.gz, svg, txt or html, or several with + between them";

/// `off`, or what `read` understands.
fn or_off<T>(value: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if value == "off" { Some(None) } else { read(value).map(Some) }
}

fn time(value: &str) -> Option<Duration> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = value.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "s" => 1000,
        "min" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    Some(Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(millis)?))
}

/// A fraction.
fn share(value: &str) -> Option<f64> {
    let percent: f64 = value.strip_suffix('%')?.parse().ok()?;
    percent.is_finite().then_some(percent / 100.0)
}

fn signal(value: &str) -> Option<i32> {
    Some(match value {
        "USR1" => SIGUSR1,
        "USR2" => SIGUSR2,
        "HUP" => SIGHUP,
        "INT" => SIGINT,
        "QUIT" => SIGQUIT,
        "TERM" => SIGTERM,
        _ => return None,
    })
}

fn format(value: &str) -> Option<ReportFormat> {
    ReportFormat::ALL.into_iter().find(|format| format.extension() == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Settings, Error> {
        let mut settings = Settings::default();
        for word in Word::of(words) {
            assert!(settings.set(&word)?, "{word:?}");
        }
        Ok(settings)
    }

    #[test]
    fn words_change_the_default() {
        let words = "program:shop,check:500ms,moved:50%,moved_floor:1MiB,min_gap:5min,resident:off,resident_limit:2GiB,cgroup:62.5%,\
                     period:2h,exit_report:false,at_exit:true,signal:USR1,exit_signal:TERM,formats:pb.gz+html,max_reports:9,\
                     max_age:2d,max_bytes:3MiB,patience:1min";
        let expected = Settings::default()
            .program("shop")
            .check_interval(Duration::from_millis(500))
            .moved(Some(0.5))
            .moved_floor(1 << 20)
            .min_gap(Duration::from_secs(300))
            .resident(None)
            .resident_limit(Some(2 << 30))
            .cgroup(Some(0.625))
            .period(Some(Duration::from_secs(7200)))
            .exit_report(false)
            .at_exit(true)
            .on_signal(SIGUSR1)
            .on_exit_signal(SIGTERM)
            .formats([ReportFormat::Pprof, ReportFormat::Html])
            .max_reports(9)
            .max_age(Duration::from_secs(2 * 86_400))
            .max_bytes(3 << 20)
            .patience(Duration::from_secs(60));
        assert_eq!(read(words), Ok(expected));
        assert_eq!(read("moved:off,cgroup:off,period:off").map(|settings| settings.moved), Ok(None));
        assert!(!Settings::default().set(&Word::of("interval:7").next().unwrap()).unwrap());
    }

    #[test]
    fn what_is_not_understood_says_what_would_be() {
        let of = |word: &str| read(word).unwrap_err().to_string();
        assert_eq!(
            of("check:10"),
            "ALLOMETER: `check:10`: expected check:TIME, a whole number with ms, s, min, h or d"
        );
        assert_eq!(of("moved:20"), "ALLOMETER: `moved:20`: expected moved:PERCENT, such as 20%, or off");
        assert_eq!(
            of("formats:svg+png"),
            "ALLOMETER: `formats:svg+png`: expected formats:pb.gz, svg, txt or html, or several with + between them"
        );
        for word in
            ["moved:NaN%", "signal:SEGV", "signal:10", "check:", "period:-1s", "check:99999999999999999999d"]
        {
            assert!(read(word).is_err(), "{word}");
        }
    }

    #[test]
    fn each_word_is_listed() {
        for word in Settings::WORDS.split(", ") {
            let key = word.split(':').next().unwrap();
            assert!(
                Settings::default().set(&Word::of(key).next().unwrap()).is_err(),
                "{key} without a value"
            );
        }
    }
}
