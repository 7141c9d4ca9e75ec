use std::cmp::Ordering;

use allometer_profile::{Amount, Metadata, SampleType};

use super::TopRow;

/// What the rows of a [`Top`](super::Top) are sorted by, the largest first. All but [`TopOrder::Cumulative`] are about what
/// functions allocated themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopOrder {
    /// Live bytes.
    Live,
    /// Live objects.
    LiveObjects,
    /// Allocated bytes.
    Allocated,
    /// Allocated objects.
    AllocatedObjects,
    /// One of the figures, with what callees allocated.
    Cumulative(SampleType),
    /// Bytes that were live at the peak.
    Peak,
    /// The mean size of live objects, or of allocated ones.
    MeanSize,
    /// The median lifetime.
    Lifetime,
}

impl From<SampleType> for TopOrder {
    /// By this figure, of the functions themselves.
    fn from(sample_type: SampleType) -> Self {
        match sample_type {
            SampleType::AllocObjects => Self::AllocatedObjects,
            SampleType::AllocBytes => Self::Allocated,
            SampleType::LiveObjects => Self::LiveObjects,
            SampleType::LiveBytes => Self::Live,
        }
    }
}

impl TopOrder {
    /// The default: by live bytes, or by allocated ones where live objects were not recorded.
    pub fn of(metadata: &Metadata) -> Self {
        if metadata.live { Self::Live } else { Self::Allocated }
    }

    /// Which of two rows stands first.
    pub fn compare(self, a: &TopRow, b: &TopRow) -> Ordering {
        let descending_of = |value: &dyn Fn(&TopRow) -> f64| value(b).total_cmp(&value(a));
        let descending = |value: fn(&TopRow) -> f64| descending_of(&value);
        let by_itself = match self {
            Self::Live => descending(|row| row.flat.live.bytes.value),
            Self::LiveObjects => descending(|row| row.flat.live.objects.value),
            Self::Allocated => descending(|row| row.flat.alloc.bytes.value),
            Self::AllocatedObjects => descending(|row| row.flat.alloc.objects.value),
            Self::Peak => descending(|row| row.peak.bytes.value),
            Self::MeanSize => descending(|row| row.mean_size().unwrap_or(-1.0)),
            Self::Lifetime => {
                descending(|row| row.lifetimes.quantile(0.5).map_or(-1.0, |it| it.as_secs_f64()))
            }
            Self::Cumulative(sample_type) => descending_of(&|row| row.cumulative.get(sample_type).value),
        };
        let below = |sample_type| descending_of(&|row| row.cumulative.get(sample_type).value);
        by_itself
            .then_with(|| below(SampleType::LiveBytes))
            .then_with(|| below(SampleType::AllocBytes))
            .then_with(|| descending(|row| row.flat.alloc.bytes.value))
            .then_with(|| a.function.cmp(&b.function))
    }
}

impl TopRow {
    /// Mean size of its own live objects, in bytes, or of allocated ones where none is live.
    pub fn mean_size(&self) -> Option<f64> {
        mean(self.flat.live).or_else(|| mean(self.flat.alloc))
    }
}

/// The mean size of objects.
pub(super) fn mean(amount: Amount) -> Option<f64> {
    (amount.objects.value > 0.0).then(|| amount.bytes.value / amount.objects.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use allometer_profile::{Estimate, Figures, Lifetimes};
    use std::time::Duration;

    fn amount(objects: f64, bytes: f64) -> Amount {
        Amount { objects: Estimate::exact(objects), bytes: Estimate::exact(bytes) }
    }

    fn row(function: &str, alloc: Amount, live: Amount, peak: f64, lived: u64) -> TopRow {
        let flat = Figures { alloc, live };
        let mut lifetimes = Lifetimes::default();
        lifetimes.add(Duration::from_millis(lived), 1.0);
        let peak = amount(1.0, peak);
        TopRow { function: function.to_owned(), flat, cumulative: flat, peak, lifetimes }
    }

    #[test]
    fn each_order_has_its_own_first() {
        let rows = [
            row("live", amount(2.0, 500.0), amount(2.0, 500.0), 5.0, 1),
            row("live objects", amount(60.0, 70.0), amount(60.0, 70.0), 6.0, 2),
            row("allocated", amount(9.0, 9000.0), amount(0.0, 0.0), 7.0, 3),
            row("allocated objects", amount(500.0, 600.0), amount(1.0, 9.0), 8.0, 4),
            row("peak", amount(3.0, 30.0), amount(1.0, 4.0), 900.0, 5),
            row("size", amount(1.0, 2000.0), amount(0.0, 0.0), 1.0, 6),
            row("lifetime", amount(3.0, 30.0), amount(1.0, 5.0), 2.0, 700),
        ];
        let first = |order: TopOrder| {
            let mut rows = rows.to_vec();
            rows.sort_by(|a, b| order.compare(a, b));
            rows[0].function.clone()
        };
        assert_eq!(first(TopOrder::Live), "live");
        assert_eq!(first(TopOrder::LiveObjects), "live objects");
        assert_eq!(first(TopOrder::Allocated), "allocated");
        assert_eq!(first(TopOrder::AllocatedObjects), "allocated objects");
        assert_eq!(first(TopOrder::Peak), "peak");
        assert_eq!(first(TopOrder::MeanSize), "size");
        assert_eq!(first(TopOrder::Lifetime), "lifetime");
        assert_eq!(first(TopOrder::Cumulative(SampleType::AllocBytes)), "allocated");
    }
}
