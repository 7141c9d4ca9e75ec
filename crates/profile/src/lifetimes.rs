use std::time::Duration;

/// How long objects lived: estimated numbers of objects in classes, each twice as wide as the one before.
///
/// Class `n` holds the durations whose whole microseconds need `n` bits: class 0 is below one microsecond,
/// class 1 up to two, class 11 from 1024 to 2048. The last of the 40 holds everything from three days on.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifetimes {
    /// Objects by class.
    pub objects: [f64; Self::CLASSES],
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self { objects: [0.0; Self::CLASSES] }
    }
}

impl Lifetimes {
    /// Number of classes.
    pub const CLASSES: usize = 40;

    /// The class of a duration.
    pub fn class(duration: Duration) -> usize {
        let bits = u128::BITS - duration.as_micros().leading_zeros();
        (bits as usize).min(Self::CLASSES - 1)
    }

    /// Adds so many objects that lived for `duration`.
    pub fn add(&mut self, duration: Duration, objects: f64) {
        self.objects[Self::class(duration)] += objects;
    }

    /// The shortest duration of a class.
    pub fn start(class: usize) -> Duration {
        match class {
            0 => Duration::ZERO,
            _ => Duration::from_micros(1 << (class - 1).min(Self::CLASSES)),
        }
    }

    /// All objects.
    pub fn total(&self) -> f64 {
        self.objects.iter().sum()
    }

    /// The duration that a share of the objects (0 to 1) did not live longer than: 0.5 is the median. None if
    /// there are no objects.
    ///
    /// Within a class, objects are taken as spread evenly, so the answer is off by a factor of two at most.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = share.clamp(0.0, 1.0) * self.total();
        let mut below = 0.0;
        let mut last = None;
        for (class, objects) in self.objects.iter().enumerate().filter(|(_, objects)| **objects > 0.0) {
            let start = if class == 0 { 0.0 } else { (class as f64 - 1.0).exp2() };
            let end = (class as f64).exp2();
            let inside = ((wanted - below) / objects).min(1.0);
            last = Some(Duration::from_secs_f64((start + inside * (end - start)) / 1e6));
            below += objects;
            if below >= wanted {
                break;
            }
        }
        last
    }
}

impl std::ops::AddAssign<&Self> for Lifetimes {
    fn add_assign(&mut self, other: &Self) {
        for (objects, more) in self.objects.iter_mut().zip(other.objects) {
            *objects += more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_double() {
        let class = |nanos| Lifetimes::class(Duration::from_nanos(nanos));
        assert_eq!([999, 1000, 1999, 2000, 1_024_000, 2_047_999].map(class), [0, 1, 1, 2, 11, 11]);
        assert_eq!(class(u64::MAX), Lifetimes::CLASSES - 1);
        for start in 0..Lifetimes::CLASSES {
            assert_eq!(Lifetimes::class(Lifetimes::start(start)), start);
        }
    }

    #[test]
    fn quantiles_are_within_their_class() {
        let mut lifetimes = Lifetimes::default();
        assert_eq!(lifetimes.quantile(0.5), None);
        lifetimes.add(Duration::from_micros(10), 98.0);
        lifetimes.add(Duration::from_secs(1), 2.0);
        assert_eq!(lifetimes.total(), 100.0);
        let median = lifetimes.quantile(0.5).unwrap();
        assert!((8..16).contains(&median.as_micros()), "{median:?}");
        let p99 = lifetimes.quantile(0.99).unwrap();
        assert!((524..1049).contains(&p99.as_millis()), "{p99:?}");
        assert!(lifetimes.quantile(1.0).unwrap() >= p99 && lifetimes.quantile(0.0).unwrap() <= median);
    }
}
