use std::ops::{Add, AddAssign, Sub};

/// A figure estimated from samples, with the estimated variance of that estimate.
///
/// `Add` and `Sub` are those of *independent* estimates: the variances add up in both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The estimate, in objects or bytes. Unbiased, and fractional in general.
    pub value: f64,
    /// Its variance, in the square of that unit. Zero means exact, or unknown, in a profile of another writer.
    pub variance: f64,
}

impl Estimate {
    /// A figure that is known, not estimated.
    pub const fn exact(value: f64) -> Self {
        Self { value, variance: 0.0 }
    }

    /// One standard error, in the unit of the value; zero when the variance is not positive.
    pub fn standard_error(self) -> f64 {
        self.variance.max(0.0).sqrt()
    }

    /// The value as an encoder writes it: rounded half away from zero, never negative, at most `i64::MAX`.
    pub fn rounded(self) -> i64 {
        // The cast saturates, and turns a NaN into zero.
        self.value.max(0.0).round() as i64
    }
}

impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, variance: self.variance + other.variance }
    }
}

impl Sub for Estimate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, variance: self.variance + other.variance }
    }
}

/// A number of objects and the bytes they were requested with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// Number of objects.
    pub objects: Estimate,
    /// Requested bytes.
    pub bytes: Estimate,
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { objects: self.objects + other.objects, bytes: self.bytes + other.bytes }
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { objects: self.objects - other.objects, bytes: self.bytes - other.bytes }
    }
}

/// What one call stack, or a whole profile, stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Allocated in the span that the profile covers, whether freed since or not.
    pub alloc: Amount,
    /// Allocated in the session and not freed yet at the end of the span.
    pub live: Amount,
}

impl Figures {
    /// The figure that `sample_type` names.
    pub fn get(&self, sample_type: SampleType) -> Estimate {
        match sample_type {
            SampleType::AllocObjects => self.alloc.objects,
            SampleType::AllocBytes => self.alloc.bytes,
            SampleType::LiveObjects => self.live.objects,
            SampleType::LiveBytes => self.live.bytes,
        }
    }

    pub(crate) fn get_mut(&mut self, sample_type: SampleType) -> &mut Estimate {
        match sample_type {
            SampleType::AllocObjects => &mut self.alloc.objects,
            SampleType::AllocBytes => &mut self.alloc.bytes,
            SampleType::LiveObjects => &mut self.live.objects,
            SampleType::LiveBytes => &mut self.live.bytes,
        }
    }
}

impl Add for Figures {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { alloc: self.alloc + other.alloc, live: self.live + other.live }
    }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Figures {
    fn sum<I: Iterator<Item = Self>>(figures: I) -> Self {
        figures.fold(Self::default(), Add::add)
    }
}

/// One of the four figures of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SampleType {
    /// Objects allocated in the span.
    AllocObjects,
    /// Bytes allocated in the span.
    AllocBytes,
    /// Objects live at the end of the span.
    LiveObjects,
    /// Bytes live at the end of the span.
    #[default]
    LiveBytes,
}

impl SampleType {
    /// All four, in the order in which heap profiles list them.
    pub const ALL: [Self; 4] = [Self::AllocObjects, Self::AllocBytes, Self::LiveObjects, Self::LiveBytes];

    /// The name that pprof files use: `alloc_objects`, `alloc_space`, `inuse_objects` or `inuse_space`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllocObjects => "alloc_objects",
            Self::AllocBytes => "alloc_space",
            Self::LiveObjects => "inuse_objects",
            Self::LiveBytes => "inuse_space",
        }
    }

    /// The unit that pprof files use: `count` or `bytes`.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::AllocObjects | Self::LiveObjects => "count",
            Self::AllocBytes | Self::LiveBytes => "bytes",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_add_up_in_sums_and_differences() {
        let a = Estimate { value: 10.0, variance: 9.0 };
        let b = Estimate { value: 4.0, variance: 16.0 };
        assert_eq!(a + b, Estimate { value: 14.0, variance: 25.0 });
        assert_eq!(a - b, Estimate { value: 6.0, variance: 25.0 });
        assert_eq!((a - b).standard_error(), 5.0);
    }

    #[test]
    fn rounds_once_and_stays_in_range() {
        assert_eq!(Estimate::exact(2.5).rounded(), 3);
        assert_eq!(Estimate::exact(0.49).rounded(), 0);
        assert_eq!(Estimate::exact(-7.0).rounded(), 0);
        assert_eq!(Estimate::exact(f64::NAN).rounded(), 0);
        assert_eq!(Estimate::exact(1e300).rounded(), i64::MAX);
    }

    #[test]
    fn each_sample_type_reaches_its_own_figure() {
        let mut figures = Figures::default();
        for (value, sample_type) in (1..).zip(SampleType::ALL) {
            *figures.get_mut(sample_type) = Estimate::exact(f64::from(value));
        }
        assert_eq!(SampleType::ALL.map(|sample_type| figures.get(sample_type).rounded()), [1, 2, 3, 4]);
        assert_eq!(figures.live.bytes.rounded(), 4);
    }
}
