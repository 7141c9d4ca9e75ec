/// A number of bytes with one decimal and a binary unit: `12.3 MiB`; below one KiB without decimals: `512 B`.
pub(crate) fn bytes(value: f64) -> String {
    let mut value = value;
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        // What would be shown as 1024.0 is 1.0 of the next unit.
        if value.abs() < if unit == "B" { 1023.5 } else { 1023.95 } {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    match unit {
        "B" => format!("{value:.0} B"),
        _ => format!("{value:.1} {unit}"),
    }
}

/// A whole number with a comma between groups of three digits.
pub(crate) fn count(value: f64) -> String {
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
pub(crate) fn percent(part: f64, whole: f64) -> String {
    let ratio = if whole == 0.0 { 0.0 } else { part / whole };
    format!("{:.1}%", 100.0 * ratio)
}

/// `1 object`, `2 objects`.
pub(crate) fn objects(value: f64) -> String {
    let count = count(value);
    let noun = if count == "1" { "object" } else { "objects" };
    format!("{count} {noun}")
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
    fn counts_have_groups() {
        assert_eq!(count(0.0), "0");
        assert_eq!(count(999.4), "999");
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(-1000.0), "-1,000");
        assert_eq!(count(-0.2), "0");
        assert_eq!((objects(0.9), objects(2.0)), ("1 object".to_owned(), "2 objects".to_owned()));
    }

    #[test]
    fn a_percentage_of_nothing_is_zero() {
        assert_eq!(percent(1.0, 3.0), "33.3%");
        assert_eq!(percent(0.0, 0.0), "0.0%");
    }
}
