//! Counts, bytes, times and percentages as text, with their errors: as all views show them.

use std::time::Duration;

use allometer_profile::{Estimate, SampleType};

/// Units of bytes: how large and what they are called.
const BYTES_UNITS: [(f64, &str); 6] = [
    (1.0, "B"),
    (1024.0, "KiB"),
    (1_048_576.0, "MiB"),
    (1_073_741_824.0, "GiB"),
    (1_099_511_627_776.0, "TiB"),
    (1_125_899_906_842_624.0, "PiB"),
];

/// The position of the unit for a number of bytes, and how many decimals it is shown with.
fn unit(value: f64) -> (usize, usize) {
    // What would be shown as 1024.0 is 1.0 of the next unit.
    let limit = |unit, size| if unit == 0 { 1023.5 } else { size * 1023.95 };
    let fits = |&unit: &usize| value < limit(unit, BYTES_UNITS[unit].0);
    let last = BYTES_UNITS.len() - 1;
    let unit = (0..last).find(fits).unwrap_or(last);
    (unit, usize::from(unit != 0))
}

/// A number of bytes with one decimal and a binary unit: `12.3 MiB`; below one KiB without decimals: `512 B`.
///
/// ```
/// use allometer_views::quantity::{bytes, count};
///
/// assert_eq!((bytes(1536.0), count(1536.0)), ("1.5 KiB".to_owned(), "1,536".to_owned()));
/// ```
pub fn bytes(value: f64) -> String {
    let (unit, decimals) = unit(value.abs());
    let (size, name) = BYTES_UNITS[unit];
    format!("{:.decimals$} {name}", value / size)
}

/// Bytes and their standard error, in one unit: `12.3 MiB ± 0.8`; without it where there is none.
pub fn bytes_with_error(estimate: Estimate) -> String {
    let error = estimate.standard_error();
    if error <= 0.0 {
        return bytes(estimate.value);
    }
    // The unit of the larger of the two, so that neither is a long number.
    let (unit, decimals) = unit(estimate.value.abs().max(error));
    let (size, name) = BYTES_UNITS[unit];
    format!("{:.decimals$} {name} ± {:.decimals$}", estimate.value / size, error / size)
}

/// The text of a number with a plus in front, unless it has a minus.
pub fn signed(value: f64, text: &str) -> String {
    if value < 0.0 { text.to_owned() } else { format!("+{text}") }
}

/// A whole number with a comma between groups of three digits.
pub fn count(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    if value < 0.0 && digits != "0" {
        text.push('-');
    }
    for (position, digit) in digits.chars().enumerate() {
        if position != 0 && (digits.len() - position) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `part` of `whole` with one decimal; of nothing, everything is 0 %.
pub fn percent(part: f64, whole: f64) -> String {
    let ratio = if whole == 0.0 { 0.0 } else { part / whole };
    format!("{:.1}%", 100.0 * ratio)
}

/// Units of time: how many seconds and what they are called.
const TIME_UNITS: [(f64, &str); 6] =
    [(1e-6, "µs"), (1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h"), (86_400.0, "d")];

/// A length of time with one decimal in the largest unit that it has one of: `12.3 ms`; below a microsecond `0.4 µs`.
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    // What would be shown as 60.0 s is 1.0 min.
    let (size, name) =
        TIME_UNITS.into_iter().rfind(|(size, _)| seconds >= size * 0.9999).unwrap_or(TIME_UNITS[0]);
    format!("{:.1} {name}", seconds / size)
}

/// `1 object`, `2 objects`.
pub fn objects(value: f64) -> String {
    let count = count(value);
    let noun = if count == "1" { "object" } else { "objects" };
    format!("{count} {noun}")
}

/// A figure of this type: `12.3 MiB`, `1,234 objects`.
pub fn amount(sample_type: SampleType, value: f64) -> String {
    match sample_type {
        SampleType::AllocObjects | SampleType::LiveObjects => objects(value),
        SampleType::AllocBytes | SampleType::LiveBytes => bytes(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_change_their_unit_where_the_rounded_number_does() {
        assert_eq!(bytes(0.4), "0 B");
        assert_eq!(bytes(1023.0), "1023 B");
        assert_eq!(bytes(1023.7), "1.0 KiB");
        assert_eq!(bytes(1536.0), "1.5 KiB");
        assert_eq!(bytes(1023.96 * 1024.0), "1.0 MiB");
        assert_eq!(bytes(-3.0 * 1024.0 * 1024.0 * 1024.0), "-3.0 GiB");
        assert_eq!(bytes(2f64.powi(60)), "1024.0 PiB");
    }

    #[test]
    fn an_error_has_the_unit_of_its_value() {
        let of = |value, error: f64| bytes_with_error(Estimate { value, variance: error * error });
        assert_eq!(of(12.3 * 1048576.0, 0.8 * 1048576.0), "12.3 MiB ± 0.8");
        assert_eq!(of(0.0, 2048.0), "0.0 KiB ± 2.0");
        assert_eq!(of(-512.0, 3.0), "-512 B ± 3");
        assert_eq!(of(512.0, 0.0), "512 B");
        assert_eq!((signed(1.0, "1 B"), signed(-1.0, "-1 B")), ("+1 B".to_owned(), "-1 B".to_owned()));
    }

    #[test]
    fn counts_have_groups() {
        assert_eq!(count(0.0), "0");
        assert_eq!(count(999.4), "999");
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(-1000.0), "-1,000");
        assert_eq!(count(-0.2), "0");
        assert_eq!((objects(0.9), objects(2.0)), ("1 object".to_owned(), "2 objects".to_owned()));
    }

    #[test]
    fn time_is_in_the_largest_unit_that_fits() {
        let of = |seconds| time(Duration::from_secs_f64(seconds));
        assert_eq!([0.0, 4e-7, 0.0123, 1.5].map(of), ["0.0 µs", "0.4 µs", "12.3 ms", "1.5 s"]);
        assert_eq!([59.999, 90.0, 7200.0, 864_000.0].map(of), ["1.0 min", "1.5 min", "2.0 h", "10.0 d"]);
    }

    #[test]
    fn a_percentage_of_nothing_is_zero() {
        assert_eq!(percent(1.0, 3.0), "33.3%");
        assert_eq!(percent(0.0, 0.0), "0.0%");
    }
}
