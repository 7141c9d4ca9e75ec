//! Objects by classes, each twice as wide as the one before, as bars of text.

use std::time::Duration;

use allometer_profile::Lifetimes;

use crate::quantity::{bytes, count, percent, time};

/// Letters of the longest bar.
const LONGEST: f64 = 30.0;

/// Empty classes in a row that are shown; more are one line.
const GAP: usize = 2;

/// A line for each class from the first to the last that has objects: where it begins, its objects, their share, a bar.
pub(super) fn lines(classes: &[f64], edge: impl Fn(usize) -> String) -> Vec<String> {
    let (Some(first), Some(last)) = (
        classes.iter().position(|objects| *objects > 0.0),
        classes.iter().rposition(|objects| *objects > 0.0),
    ) else {
        return Vec::new();
    };
    let shown = &classes[first..=last];
    let (total, most) = (shown.iter().sum::<f64>(), shown.iter().copied().fold(0.0, f64::max));
    let edges: Vec<String> = (first..=last).map(edge).collect();
    let counts: Vec<String> = shown.iter().map(|objects| count(*objects)).collect();
    let width = |cells: &[String]| cells.iter().map(|cell| cell.chars().count()).max().unwrap_or_default();
    let (edge_width, count_width) = (width(&edges), width(&counts));
    let mut lines = Vec::new();
    let mut at = 0;
    while at < shown.len() {
        let empty = shown[at..].iter().take_while(|objects| **objects <= 0.0).count();
        if empty > GAP {
            lines.push(format!("{:>edge_width$}", "…"));
            at += empty;
            continue;
        }
        let (edge, count, share) = (&edges[at], &counts[at], percent(shown[at], total));
        let line =
            format!("{edge:>edge_width$}  {count:>count_width$}  {share:>6}  {}", bar(shown[at], most));
        lines.push(line.trim_end().to_owned());
        at += 1;
    }
    lines
}

/// So many of `most`; what is little and not nothing has a thin one.
fn bar(objects: f64, most: f64) -> String {
    let letters = LONGEST * objects / most;
    match letters.round() as usize {
        0 if objects > 0.0 => "▏".to_owned(),
        letters => "█".repeat(letters),
    }
}

/// Where a class of sizes begins.
pub(super) fn size(class: usize) -> String {
    bytes(if class == 0 { 0.0 } else { (class as f64 - 1.0).exp2() })
}

/// Where a class of lifetimes begins.
pub(super) fn lifetime(class: usize) -> String {
    time(Lifetimes::start(class))
}

/// `median 12.3 ms, 90 % below 1.5 s, 99 % below 2.0 min`. Nothing is older than the session: what is within a class need not
/// reach its end.
pub(super) fn quantiles(lifetimes: &Lifetimes, session: Duration) -> Option<String> {
    let longest = if session.is_zero() { Duration::MAX } else { session };
    let at = |share| lifetimes.quantile(share).map(|duration| time(duration.min(longest)));
    Some(format!("median {}, 90 % below {}, 99 % below {}", at(0.5)?, at(0.9)?, at(0.99)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_what_they_stand_for() {
        let classes = [0.0, 0.0, 1000.0, 0.0, 0.0, 500.0, 1.0, 0.0, 0.0, 0.0, 499.0, 0.0];
        let (long, half) = ("█".repeat(30), "█".repeat(15));
        assert_eq!(
            lines(&classes, size),
            [
                format!("  2 B  1,000   50.0%  {long}"),
                "  4 B      0    0.0%".to_owned(),
                "  8 B      0    0.0%".to_owned(),
                format!(" 16 B    500   25.0%  {half}"),
                " 32 B      1    0.1%  ▏".to_owned(),
                "    …".to_owned(),
                format!("512 B    499   24.9%  {half}"),
            ]
        );
        assert!(lines(&[], size).is_empty() && lines(&[0.0; 3], size).is_empty());
    }

    #[test]
    fn classes_begin_where_objects_of_one_more_bit_do() {
        assert_eq!([0, 1, 2, 11].map(size), ["0 B", "1 B", "2 B", "1.0 KiB"]);
        assert_eq!([0, 1, 11, 21].map(lifetime), ["0.0 µs", "1.0 µs", "1.0 ms", "1.0 s"]);
    }

    #[test]
    fn nothing_is_older_than_the_session() {
        let mut ages = Lifetimes::default();
        ages.add(Duration::from_secs(9), 8.0);
        let text = |session| quantiles(&ages, Duration::from_secs(session));
        assert_eq!(text(0).as_deref(), Some("median 12.6 s, 90 % below 15.9 s, 99 % below 16.7 s"));
        assert_eq!(text(10).as_deref(), Some("median 10.0 s, 90 % below 10.0 s, 99 % below 10.0 s"));
        assert_eq!(quantiles(&Lifetimes::default(), Duration::ZERO), None);
    }
}
