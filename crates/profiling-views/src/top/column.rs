use allometer_profile::SampleType;

use super::{Top, TopOrder, TopRow, order::mean};
use crate::quantity::{bytes, bytes_with_error, count, percent, time};

/// A column of a [`Top`]. The name of the function stands behind the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TopColumn {
    /// Bytes of its own, with their error.
    Own(SampleType),
    /// Their share of the total.
    OwnShare(SampleType),
    /// Bytes of its own and of its callees.
    Cumulative(SampleType),
    /// Their share of the total.
    CumulativeShare(SampleType),
    /// Objects of its own.
    Objects(SampleType),
    /// The mean size of its own objects.
    MeanSize,
    /// Bytes of its own that were live at the peak.
    Peak,
    /// The median lifetime of its own objects.
    Lifetime,
}

impl TopColumn {
    /// What stands above it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Own(SampleType::LiveBytes) => "live",
            Self::Own(_) => "allocated",
            Self::Cumulative(SampleType::LiveBytes) => "cum live",
            Self::Cumulative(_) => "cum allocated",
            Self::OwnShare(_) | Self::CumulativeShare(_) => "%",
            Self::Objects(_) => "objects",
            Self::MeanSize => "mean",
            Self::Peak => "peak",
            Self::Lifetime => "lived",
        }
    }

    /// The order that has its largest first.
    pub fn order(self) -> TopOrder {
        match self {
            Self::Own(SampleType::LiveBytes) | Self::OwnShare(SampleType::LiveBytes) => TopOrder::Live,
            Self::Own(_) | Self::OwnShare(_) => TopOrder::Allocated,
            Self::Cumulative(sample_type) | Self::CumulativeShare(sample_type) => {
                TopOrder::Cumulative(sample_type)
            }
            Self::Objects(SampleType::LiveObjects) => TopOrder::LiveObjects,
            Self::Objects(_) => TopOrder::AllocatedObjects,
            Self::MeanSize => TopOrder::MeanSize,
            Self::Peak => TopOrder::Peak,
            Self::Lifetime => TopOrder::Lifetime,
        }
    }
}

impl Top {
    /// The columns that there is something to show in.
    pub fn columns(&self) -> Vec<TopColumn> {
        use TopColumn::{Cumulative, CumulativeShare, Lifetime, MeanSize, Objects, Own, OwnShare, Peak};
        let first = if self.metadata.live { SampleType::LiveBytes } else { SampleType::AllocBytes };
        let mut columns = vec![Own(first), OwnShare(first), Cumulative(first), CumulativeShare(first)];
        if self.metadata.live {
            columns.extend([Objects(SampleType::LiveObjects), MeanSize]);
            if self.metadata.peak.is_some() {
                columns.push(Peak);
            }
            columns.extend([Own(SampleType::AllocBytes), Objects(SampleType::AllocObjects)]);
        } else {
            columns.extend([Objects(SampleType::AllocObjects), MeanSize]);
        }
        if self.rows.iter().any(|row| row.lifetimes.total() > 0.0) {
            columns.push(Lifetime);
        }
        columns
    }

    /// The text of a column for a row; empty where there is nothing to say.
    pub fn cell(&self, row: &TopRow, column: TopColumn) -> String {
        let share = |sample_type, part: f64| percent(part, self.total.get(sample_type).value);
        match column {
            TopColumn::Own(sample_type) => bytes_with_error(row.flat.get(sample_type)),
            TopColumn::OwnShare(sample_type) => share(sample_type, row.flat.get(sample_type).value),
            TopColumn::Cumulative(sample_type) => bytes(row.cumulative.get(sample_type).value),
            TopColumn::CumulativeShare(sample_type) => {
                share(sample_type, row.cumulative.get(sample_type).value)
            }
            TopColumn::Objects(sample_type) => count(row.flat.get(sample_type).value),
            TopColumn::MeanSize if self.metadata.live => row.mean_size().map(bytes).unwrap_or_default(),
            TopColumn::MeanSize => mean(row.flat.alloc).map(bytes).unwrap_or_default(),
            TopColumn::Peak => bytes(row.peak.bytes.value),
            TopColumn::Lifetime => row.lifetimes.quantile(0.5).map(time).unwrap_or_default(),
        }
    }
}
