use super::header::Header;
use crate::{Amount, Estimate, Figures};

/// Objects and bytes as they stand in a line: `1: 64 [2: 128]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    live: [u64; 2],
    allocated: [u64; 2],
}

impl Counts {
    /// The figures that a text begins with, and what stands behind them.
    pub(super) fn parse(text: &str) -> Option<(Self, &str)> {
        let (live_objects, rest) = number(text)?;
        let (live_bytes, rest) = number(rest.strip_prefix(':')?)?;
        let (objects, rest) = number(rest.strip_prefix('[')?)?;
        let (bytes, rest) = number(rest.strip_prefix(':')?)?;
        let counts = Self { live: [live_objects, live_bytes], allocated: [objects, bytes] };
        Some((counts, rest.strip_prefix(']')?.trim_ascii_start()))
    }

    /// Whether the second pair is the first once more, or nothing.
    pub(super) fn says_twice(&self) -> bool {
        self.live.iter().zip(self.allocated).all(|(&live, allocated)| allocated == live || allocated == 0)
    }

    pub(super) fn figures(&self, header: &Header) -> Figures {
        let allocated = if header.has_allocated { self.allocated } else { [0; 2] };
        Figures { alloc: amount(allocated, header.interval), live: amount(self.live, header.interval) }
    }
}

/// A number and what stands behind it, blanks on both sides left out.
fn number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_ascii_start();
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest.trim_ascii_start()))
}

/// What samples stand for. One that has only one of the two numbers, as rounding leaves it, says nothing of its chance to be
/// picked, and stays as it is.
fn amount([objects, bytes]: [u64; 2], interval: u64) -> Amount {
    let (objects, bytes) = (objects as f64, bytes as f64);
    let is_sampled = interval > 1 && objects > 0.0 && bytes > 0.0;
    let scale = if is_sampled { 1.0 / -(-bytes / objects / interval as f64).exp_m1() } else { 1.0 };
    Amount { objects: Estimate::exact(objects * scale), bytes: Estimate::exact(bytes * scale) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_blanks_anywhere() {
        let counts = Counts { live: [1, 64], allocated: [20, 1280] };
        for text in ["1:64[20:1280]@ 0x1", "  1:   64 [    20:  1280] @ 0x1", "1 : 64 [ 20 : 1280 ] @ 0x1"] {
            assert_eq!(Counts::parse(text), Some((counts, "@ 0x1")), "{text}");
        }
        for text in
            ["", "1", "1: 64", "1: 64 [2: 3", "1: 64 [2; 3]", "-1: 64 [2: 3]", "1: 64 2: 3", "x: 1 [1: 1]"]
        {
            assert_eq!(Counts::parse(text), None, "{text}");
        }
        assert_eq!(Counts::parse("1: 99999999999999999999 [1: 1]"), None);
    }

    #[test]
    fn samples_are_scaled_by_the_mean_size() {
        let of = |counts, interval| {
            let amount = amount(counts, interval);
            [amount.objects.value, amount.bytes.value]
        };
        // 512 bytes at an interval of 4096: one in 8.51 is picked.
        let [objects, bytes] = of([2, 1024], 4096);
        assert!(
            (objects - 17.0208).abs() < 1e-3 && (bytes / objects - 512.0).abs() < 1e-9,
            "{objects} {bytes}"
        );
        assert_eq!(of([2, 1024], 1), [2.0, 1024.0]);
        assert_eq!(of([2, 1024], 0), [2.0, 1024.0]);
        assert_eq!(of([0, 0], 4096), [0.0, 0.0]);
        assert_eq!(of([0, 7], 4096), [0.0, 7.0]);
        assert_eq!(of([7, 0], 4096), [7.0, 0.0]);
        assert!(of([u64::MAX, 1], u64::MAX).iter().all(|value| value.is_finite()));
        // Objects far above the interval are all seen.
        assert_eq!(of([1, 1 << 30], 4096), [1.0, (1u64 << 30) as f64]);
    }
}
