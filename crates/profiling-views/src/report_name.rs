//! Names of reports, in a directory that many of them share: see docs/reports.md.

use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime},
};

use jiff::Timestamp;

use crate::{Error, ProgramName, ReportFormat, ReportReason};

/// What all files of one report are called, but for the extension.
///
/// Sorted as text, the names of a process are in the order of time, so that a plain listing shows how its memory
/// went:
///
/// ```
/// use allometer_views::{ReportFile, ReportReason};
///
/// let file: ReportFile = "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz".parse()?;
/// assert_eq!(file.name.program.as_str(), "shop");
/// assert_eq!(file.name.reason, ReportReason::Grew);
/// assert_eq!(file.name.live_bytes, 124_151_398);
/// assert_eq!(file.to_string(), "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz");
/// # Ok::<(), allometer_views::Error>(())
/// ```
///
/// A name says less than these fields can: the time to the millisecond, from 1970 to 9999, and the live heap to a tenth
/// of a MiB. What is read from a name are those rounded values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReportName {
    /// The program that it is a report of.
    pub program: ProgramName,
    /// The moment that it shows.
    pub time: SystemTime,
    /// What was live then, in bytes: an estimate, or 0 where the session did not follow live objects.
    pub live_bytes: u64,
    /// Why it was written.
    pub reason: ReportReason,
    /// The process's number.
    pub process: u32,
}

/// One file of a report: its name and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReportFile {
    /// The report.
    pub name: ReportName,
    /// What the file holds.
    pub format: ReportFormat,
}

const NAME: &str =
    "PROGRAM-TIME-LIVE-REASON-PROCESS, such as shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711";
const FILE: &str = "PROGRAM-TIME-LIVE-REASON-PROCESS.EXTENSION, such as shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz";

/// Bytes of a time as it is written, `2026-12-01T01:06:13.123Z`. It holds dashes itself.
const TIME_BYTES: usize = 24;
const MIB: u128 = 1 << 20;
/// The last second that every calendar of the format can write: the end of the year 9998.
const LAST_SECOND: u64 = 253_370_764_799;

/// `time` as a name has it.
fn shown(time: SystemTime) -> Timestamp {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let millis = since.min(Duration::from_secs(LAST_SECOND)).as_millis();
    i64::try_from(millis).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok()).unwrap_or_default()
}

fn time(text: &str) -> Option<SystemTime> {
    let millis = text.parse::<Timestamp>().ok()?.as_millisecond();
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(u64::try_from(millis).ok()?))
}

/// `118.4MiB`.
fn live(text: &str) -> Option<u64> {
    let (whole, tenth) = text.strip_suffix("MiB")?.split_once('.')?;
    let tenths = whole.parse::<u128>().ok()?.checked_mul(10)?.checked_add(tenth.parse().ok()?)?;
    u64::try_from((tenths.checked_mul(MIB)? + 5) / 10).ok()
}

impl ReportName {
    /// The same as a file of this format.
    pub fn file(self, format: ReportFormat) -> ReportFile {
        ReportFile { name: self, format }
    }

    /// The time as it stands in the name: `2026-12-01T01:06:13.123Z`.
    pub fn moment(&self) -> String {
        format!("{:.3}", shown(self.time))
    }

    /// From the right, since only the program's name varies in what it may hold.
    fn parts(text: &str) -> Option<Self> {
        let (rest, process) = text.rsplit_once('-')?;
        let (rest, reason) = rest.rsplit_once('-')?;
        let (rest, live_bytes) = rest.rsplit_once('-')?;
        let (program, moment) = rest.split_at_checked(rest.len().checked_sub(TIME_BYTES)?)?;
        Some(Self {
            program: program.strip_suffix('-')?.parse().ok()?,
            time: time(moment)?,
            live_bytes: live(live_bytes)?,
            reason: ReportReason::of_word(reason)?,
            process: process.parse().ok()?,
        })
    }
}

impl fmt::Display for ReportName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, live_bytes, reason, process, .. } = self;
        let tenths = (u128::from(*live_bytes) * 10 + MIB / 2) / MIB;
        let (whole, tenth, time) = (tenths / 10, tenths % 10, self.moment());
        write!(f, "{program}-{time}-{whole}.{tenth}MiB-{reason}-{process}")
    }
}

impl FromStr for ReportName {
    type Err = Error;

    /// The report of this name, which must be exactly as [`Display`](fmt::Display) would write it: names decide what
    /// may be removed.
    ///
    /// # Errors
    ///
    /// [`Error::ReportName`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let name = Self::parts(text).filter(|name| name.to_string() == text);
        name.ok_or_else(|| Error::report_name(text, NAME))
    }
}

impl fmt::Display for ReportFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name, self.format)
    }
}

impl FromStr for ReportFile {
    type Err = Error;

    /// The file of this name, as strictly as for [`ReportName`].
    ///
    /// # Errors
    ///
    /// [`Error::ReportName`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let parts = || {
            // Behind the process, the last part of a name, which has no dot.
            let (rest, tail) = text.rsplit_once('-')?;
            let (process, extension) = tail.split_once('.')?;
            let format = ReportFormat::of_extension(extension)?;
            let name = text.get(..rest.len() + 1 + process.len())?.parse().ok()?;
            Some(Self { name, format })
        };
        parts().ok_or_else(|| Error::report_name(text, FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "shop-2026-12-01T01:06:13.123Z-118.4MiB-grew-4711.pb.gz";

    fn name(seconds: u64, live_bytes: u64) -> ReportName {
        ReportName {
            program: ProgramName::nearest("shop"),
            time: SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
            live_bytes,
            reason: ReportReason::Request,
            process: 1,
        }
    }

    #[test]
    fn every_name_reads_as_it_was_written() {
        for program in ["shop", "a.b", "program.txt", "2026_12_01T01.06"] {
            for reason in ReportReason::ALL {
                for format in ReportFormat::ALL {
                    let program = ProgramName::nearest(program);
                    let file =
                        ReportName { program, reason, ..name(1_796_087_173, 12_345 << 20) }.file(format);
                    assert_eq!(file.to_string().parse::<ReportFile>().unwrap(), file, "{file}");
                }
            }
        }
        assert_eq!(SHOP.parse::<ReportFile>().unwrap().to_string(), SHOP);
    }

    #[test]
    fn figures_are_rounded_and_then_stay() {
        let shown = [0, 1, 52_428, 52_429, (1 << 20) - 1, 1_099_511_627_776, u64::MAX];
        let texts = shown.map(|live_bytes| name(0, live_bytes).to_string());
        let lives = texts.each_ref().map(|text| text.split('-').nth(4).unwrap());
        let expected =
            ["0.0MiB", "0.0MiB", "0.0MiB", "0.1MiB", "1.0MiB", "1048576.0MiB", "17592186044416.0MiB"];
        assert_eq!(lives, expected);
        for text in &texts[..6] {
            assert_eq!(&text.parse::<ReportName>().unwrap().to_string(), text);
        }
        // Rounded, it is one byte more than a number of bytes can be.
        assert!(texts[6].parse::<ReportName>().is_err());
        let late = ReportName { time: SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40), ..name(0, 0) };
        assert_eq!(late.to_string(), "shop-9998-12-31T23:59:59.000Z-0.0MiB-request-1");
        let early = ReportName { time: SystemTime::UNIX_EPOCH - Duration::from_secs(1), ..name(0, 0) };
        assert_eq!(early.to_string(), "shop-1970-01-01T00:00:00.000Z-0.0MiB-request-1");
        assert!(late.to_string().len() < 64);
    }

    #[test]
    fn names_sort_by_time() {
        let texts = [999, 1_000, 1_796_087_173].map(|seconds| name(seconds, 9 << 30).to_string());
        assert!(texts.is_sorted(), "{texts:?}");
    }

    #[test]
    fn only_exact_names_are_names() {
        let replaced = |from, to| SHOP.replacen(from, to, 1);
        let wrong = [
            String::new(),
            "-".repeat(80),
            replaced("shop", ""),
            replaced("shop", ".shop"),
            replaced("shop", "sh/op"),
            replaced("shop", "../shop"),
            replaced("shop", "shöp"),
            replaced("shop-", "sho"),
            replaced("123Z", "12Z"),
            replaced("123Z", "1234Z"),
            replaced("123Z", "123+00"),
            replaced("T", "t"),
            replaced("12-01", "13-01"),
            replaced("13.123Z", "60.123Z"),
            replaced("2026", "1926"),
            replaced("118.4", "118"),
            replaced("118.4", "118.40"),
            replaced("118.4", "0118.4"),
            replaced("118.4", "+118.4"),
            replaced("118.4", "-118.4"),
            replaced("118.4", "118.4e3"),
            replaced("MiB", "GiB"),
            replaced("grew", "Grew"),
            replaced("grew", "because"),
            replaced("4711", "04711"),
            replaced("4711", "+4711"),
            replaced("4711", "99999999999"),
            replaced(".pb.gz", ".gz"),
            replaced(".pb.gz", ""),
            replaced(".pb.gz", ".pb.gz.tmp"),
            replaced(".pb.gz", ".pb.gz\n"),
            format!(" {SHOP}"),
            format!("{SHOP}~"),
        ];
        for text in wrong {
            assert!(text.parse::<ReportFile>().is_err(), "{text:?}");
        }
        let error = "shop\u{1b}[31m".parse::<ReportFile>().unwrap_err().to_string();
        assert!(error.starts_with("`shop\\u{1b}[31m`: expected PROGRAM-TIME-LIVE"), "{error}");
    }
}
