//! A figure as a reader shows it.

/// A figure as a reader shows it, in bytes or objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::targets) struct Shown {
    pub(super) value: f64,
    /// By how much it may be off, rounded as it is.
    pub(super) within: f64,
}

/// Units and their factors: all readers count in 1024, whatever they call it.
const UNITS: [(&str, i32); 13] = [
    ("", 0),
    ("B", 0),
    ("kB", 1),
    ("KB", 1),
    ("KiB", 1),
    ("MB", 2),
    ("MiB", 2),
    ("GB", 3),
    ("GiB", 3),
    ("TB", 4),
    ("TiB", 4),
    ("bytes", 0),
    ("count", 0),
];

impl Shown {
    /// Reads `6.33 MB`, `1201.61kB`, `12345.00`, `-1`.
    pub(in crate::targets) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
        let (number, unit) = (&text[..end], text[end..].trim());
        let (_, power) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let factor = 1024_f64.powi(*power);
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        let value = number.parse::<f64>().ok()? * factor;
        // Half of the last digit, and a whole byte, since some readers cut.
        let half = if *power == 0 { 0.0 } else { 0.5 * 10_f64.powi(-decimals) * factor };
        Some(Self { value, within: half * 1.001 + 0.5 })
    }

    /// The sum of figures, off by as much as each may be.
    pub(super) fn sum(figures: impl IntoIterator<Item = Self>) -> Self {
        let none = Self { value: 0.0, within: 0.0 };
        figures
            .into_iter()
            .fold(none, |sum, each| Self { value: sum.value + each.value, within: sum.within + each.within })
    }

    /// Whether the figure can be `value`.
    pub(in crate::targets) fn is(self, value: f64) -> bool {
        (self.value - value).abs() <= self.within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_with_their_units() {
        let megabytes = Shown::read("6.33 MB").unwrap();
        assert!(megabytes.is(6.334 * 1048576.0) && !megabytes.is(6.34 * 1048576.0));
        assert!(Shown::read("1201.61kB").unwrap().is(1_230_453.0));
        assert!(Shown::read("9175179.00").unwrap().is(9_175_179.0));
        assert!(!Shown::read("9175179.00").unwrap().is(9_175_180.0));
        assert!(Shown::read("11.4MiB").unwrap().is(11_969_541.0));
        assert!(Shown::read("-3.0B").unwrap().is(-3.0));
        assert_eq!(Shown::read("6.33 parsecs"), None);
        assert_eq!(Shown::read("MB"), None);
    }

    #[test]
    fn a_sum_is_off_by_as_much_as_its_parts() {
        let sum = Shown::sum(["1.5kB", "2.5kB"].map(|text| Shown::read(text).unwrap()));
        assert!(sum.is(4096.0 + 102.0) && !sum.is(4096.0 + 110.0));
    }
}
